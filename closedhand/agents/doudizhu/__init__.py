"""Players of Dou Dizhu, and how the learned ones are trained."""
