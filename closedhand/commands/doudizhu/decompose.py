"""The trainer of the weights of Dou Dizhu's `decompose`."""

from closedhand.commands.self_play import fitting

learn = fitting("closedhand.agents.doudizhu.decompose.tuning:TASK", "decompose:")
