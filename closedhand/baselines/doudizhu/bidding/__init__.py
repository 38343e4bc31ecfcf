"""The Bid Module of Dou Dizhu: who wants to be the landlord."""
