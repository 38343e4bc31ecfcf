"""The agent `decompose`: hands divided into plays, and what each play leaves."""
