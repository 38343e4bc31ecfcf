"""Status of a game after an action or a step, as kernels return and write it."""

RUNNING, OVER, ILLEGAL, REFUSED = range(4)
"""The game goes on; it has ended; the user's action was illegal; a policy's action was illegal.

An illegal action changes nothing in the state. In Gymnasium envs one by the user ends the game
with a penalty; one by a policy raises an error, or on a device only ends the game.
"""
