"""Learners that do not depend on a game.

What to read, in this order:

1. `ppo`, `dmc`, `imitation`: an algorithm each, its update from top to bottom. `maskable_ppo` is
   the PPO of Stable-Baselines3; `device_ppo` and `device_dmc` are learners whose games stay on a
   GPU, with `device_learner` and `device_rollout`.
2. `training`: what the first three share, from the games of an update to the averaged weights;
   `selfplay` and `population` play these games.
3. `network_learner`: what all six share: counts, scores, and the file for agents.
4. `features`, `networks`: from a game to logits of its legal actions.
5. `algorithms` lists the learners by name, `runs` saves a training in a folder, `agent_factory` and
   `agent` play the result as `learned:FOLDER`.

Others: `policy_gradient` and `logistic` fit linear models, `weights` and `module_state` read and
write networks.
"""
