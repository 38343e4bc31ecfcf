"""The Bid Module of Dou Dizhu: bids for the role of landlord."""
