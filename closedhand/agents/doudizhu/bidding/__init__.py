"""The Bid Module of Dou Dizhu: decides how much to bid for the role of landlord."""
