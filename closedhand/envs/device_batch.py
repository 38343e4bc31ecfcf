"""Thousands of games side by side as tensors of PyTorch, on a GPU or on the CPU.

Tensors have fixed shapes and are changed in place. A step also starts the next games: on a GPU
in the same kernel, on the CPU in a loop over the same functions.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from closedhand.core import game_kernels
from closedhand.core.agents import AnyAgent, make_agent
from closedhand.core.checks import InputError, shown, whole_number
from closedhand.core.cuda_driver import Launch
from closedhand.core.game import Game
from closedhand.core.game_kernels import Games, Terms
from closedhand.core.policies import Policies
from closedhand.core.stream import begin_streams
from closedhand.envs import common
from closedhand.envs.device import (
    ALIGNMENT,
    THREADS,
    Device,
    Shape,
    examples,
    kernel_policy,
    shape_for,
    step_name,
)
from closedhand.envs.observation_form import PLANES, ObservationForm
from closedhand.envs.opponents import Opponents, Spec, user_seat

if TYPE_CHECKING:
    import torch

PICKS = 0x5DEECE66D
"""Xor with the key of a game's stream gives that of its second one, for `sample` and `decide`."""


class DeviceBatch:
    """Games on a device, changed in place.

    Before the first `reset`, other methods raise an `InputError`.

    Attributes:
        device: The `torch.device`.
        on_cpu: Whether the games are in the memory of the CPU.
        observation: Observations of the players to act, int8 [number, size].
        action_mask: Masks of the players to act, int8 [number, num_actions].
        player: Seat to act, int64 [number].
        actor: Seat that acted in the last step, after `reset` -1, int64 [number].
        rewards: Rewards of all seats in the last step, float64 [number, num_players].
        status: After the last step `RUNNING`, `OVER`, `ILLEGAL` (an illegal action ended the game)
            or `REFUSED` (an opponent chose an illegal action) of `closedhand.core.status`, int8
            [number]. A new game has begun where it is not `RUNNING`.
        states: The games as bytes, uint8 [number, itemsize].
    """

    def __init__(
        self,
        game: Game,
        number: int,
        *,
        device: Any = "cuda",
        observation: str = PLANES,
        opponents: Spec | None = None,
        seat: int | str = 0,
        illegal_reward: float = common.ILLEGAL_REWARD,
        shape: Shape | None = None,
    ) -> None:
        """Allocate memory for `number` games; `reset` starts them.

        `shape` is the launch configuration of steps on a GPU, by default that of `shape_for`. Other
        arguments are those of `DeviceVectorEnv`.

        Raises:
            InputError: No GPU, no room for so many games on it, an opponent that decides in Python,
                or an invalid option.
        """
        self.game = game
        self.number = whole_number(number, "the number of games", 1, common.MOST_GAMES)
        self.form = ObservationForm(game, observation)
        self.illegal_reward = common.check_reward(illegal_reward)
        self._device = Device(device)
        self.device, self.torch = self._device.place, self._device.torch
        self.on_cpu = self._device.on_cpu
        self._scratch = max(game.num_actions, game.flat.num_actions)
        own = user_seat(game, opponents, seat)
        rng = np.random.default_rng(0)
        others = [] if opponents is None else Opponents(game, opponents, rng).agents
        self.policies: Policies = tuple(map(kernel_policy, others))
        self._terms = Terms(game.num_players, game.staged, own, self.illegal_reward)
        self.shape = shape or self._shape()
        self._check_memory()
        self._allocate()
        self._launches: dict[Any, Any] = {}
        self._started = False

    def _lanes(self) -> int:
        """Return the number of games played at the same time, each with its own scratch space."""
        if self.on_cpu:
            return 1
        each = self.shape.per_block if self.shape.by_block else self.shape.threads
        return self.shape.blocks * each

    def _shape(self) -> Shape:
        if self.on_cpu:
            return Shape(False, 1, 1, 1, 0)
        properties: Any = self.torch.cuda.get_device_properties(self.device)
        most = getattr(properties, "shared_memory_per_block_optin", 48 * 1024)
        row = self.form.size + self.game.num_actions
        return shape_for(row, self.number, properties.multi_processor_count, most)

    def _check_memory(self) -> None:
        """Refuse more games than fit into free memory; nothing is allocated yet."""
        if self.on_cpu:
            return
        size, row = self.game.dtype.itemsize, self.form.size + self.game.num_actions
        # Two floats a seat; nine int64: five arrays, two streams of two; two int8: status, restart.
        bytes_of_a_game = size + row + 16 * self.game.num_players + 8 * 9 + 2
        scratch = self._lanes() * (4 * self._scratch + size)  # stays the same for many games
        needed = self.number * bytes_of_a_game + scratch
        if needed <= self.torch.cuda.mem_get_info(self.device)[0]:
            return
        self.torch.cuda.empty_cache()  # PyTorch keeps freed memory, which counts as taken
        free = self.torch.cuda.mem_get_info(self.device)[0]
        if needed > free:
            fit = max(0, (free - scratch) // bytes_of_a_game)
            raise InputError(
                f"{self.number} games of {self.game.name} need {needed / 1e9:.1f} GB on "
                f"{self.device}, where {free / 1e9:.1f} GB are free: {fit} games fit"
            )

    def _rows(self, size: int) -> tuple[Any, Any]:
        """Allocate rows, int8 [number, size]; return them, and their padded memory as int32."""
        total = -(-self.number * size // ALIGNMENT) * ALIGNMENT
        memory = self._device.zeros(total, dtype="int8")
        rows = memory[: self.number * size].view(self.number, size)
        return rows, memory.view(self.torch.int32)

    def _allocate(self) -> None:
        number, seats, zeros = self.number, self.game.num_players, self._device.zeros
        self.states = zeros(number, self.game.dtype.itemsize, dtype="uint8")
        self.observation, self._observation_words = self._rows(self.form.size)
        self.action_mask, self._mask_words = self._rows(self.game.num_actions)
        self.rewards, self._paid = (zeros(number, seats, dtype="float64") for _ in range(2))
        self.status, self._restarts = (zeros(number, dtype="int8") for _ in range(2))
        self.actor, self.player, self.seats, self._seeds, self._actions = (
            zeros(number, dtype="int64") for _ in range(5)
        )
        self._streams, self._picks = (zeros(number, 2, dtype="int64") for _ in range(2))
        self._ids = zeros(self._lanes(), self._scratch, dtype="int32")
        self._views = zeros(self._lanes(), self.game.dtype.itemsize, dtype="uint8")

    def _games(self) -> Games:
        """Return the games for kernels: arrays for the CPU, addresses for a GPU."""
        array = self._device.array
        return Games(
            array(self.states, self.game.dtype), self._device.streams(self._streams),
            array(self._seeds, np.uint64), array(self.seats), array(self._paid),
            array(self.rewards), array(self.status), array(self.actor), array(self.player),
        )  # fmt: skip

    def reset(self, seed: Any = None, reset_mask: Any = None) -> None:
        """Start new games where `reset_mask`, bool [number], is set, or everywhere.

        `seed` is as for `GameVectorEnv.reset`. An `InputError` refuses an invalid seed or mask,
        or a mask before all games were started.
        """
        torch = self.torch
        if reset_mask is not None:
            try:
                mask = torch.as_tensor(reset_mask, device=self.device)
            except (TypeError, ValueError, RuntimeError):
                mask = torch.empty(0)
            if mask.dtype != torch.bool or tuple(mask.shape) != (self.number,):
                raise InputError(f"the mask of games must be bool [{self.number}]")
            if not self._started:
                raise InputError("no games are under way: reset all of them first")
            self._restarts.copy_(mask)
        else:
            self._restarts.fill_(1)
        if seed is not None or not self._started:
            seeds = common.seeds_of(seed, self.number)
            first, streams = begin_streams(seeds)
            picks = streams ^ np.array([PICKS, 0], np.uint64)
            now = self._restarts != 0
            if self._started:
                now &= torch.tensor([each is not None for each in seeds], device=self.device)
            for held, value in (
                (self._seeds, first), (self._streams, streams), (self._picks, picks)
            ):  # fmt: skip
                new = torch.from_numpy(np.asarray(value).view(np.int64)).to(self.device)
                held.copy_(torch.where(now if held.ndim == 1 else now[:, None], new, held))
        self._run(self._actions, starting=True)
        self._started = True  # last: a compilation that is interrupted has dealt nothing

    def step(self, actions: "torch.Tensor") -> None:
        """Play one action in each game; the next game begins where one ends.

        `actions` are ids for the players to act, int64 [number], contiguous, on the same device; an
        `InputError` refuses other tensors. An illegal action ends its game, unless it counts as a
        pass (`game.lenient`).
        """
        self._check_started()
        self._check_actions(actions)
        self._run(actions, starting=False)

    def _check_started(self) -> None:
        if not self._started:
            raise InputError(common.RESET_FIRST)

    def _check_actions(self, actions: Any) -> None:
        if not isinstance(actions, self.torch.Tensor):
            raise InputError(f"actions are a tensor on {self.device}, not {shown(actions)}")
        found = f"{actions.dtype} {list(actions.shape)} on {actions.device}".removeprefix("torch.")
        fits = actions.dtype == self.torch.int64 and tuple(actions.shape) == (self.number,)
        if not fits or actions.device != self.states.device or not actions.is_contiguous():
            due = f"int64 [{self.number}] on {self.states.device} without gaps"
            raise InputError(f"actions are {due}, not {found}")

    def _run(self, actions: Any, starting: bool) -> None:
        array = self._device.array
        if self.on_cpu:
            game_kernels.step_games(
                self.game.rules, self.policies, self._games(), self._terms, array(self._restarts),
                starting, array(actions), self.form.compact, array(self._views, self.game.dtype),
                array(self._ids), array(self.observation), array(self.action_mask),
            )  # fmt: skip
            return
        if "step" not in self._launches:
            self._launches["step"] = self._prepare_step()
        launch = self._launches["step"]
        if not self.shape.by_block:  # by block, the kernel writes whole rows
            self._observation_words.zero_()
            self._mask_words.zero_()
        launch.set(5, starting)  # 5 and 6 are indices of `arguments` in `_prepare_step`
        launch.point(6, actions.data_ptr())
        self._device.run(launch)

    def _prepare_step(self) -> Launch:
        shape, array = self.shape, self._device.array
        name = step_name(self.form.compact, shape.by_block)
        arguments: tuple[Any, ...] = (
            self._device.tables(self.game.rules), self._device.tables(self.policies), self._games(),
            self._terms, array(self._restarts), False, array(self._actions),
            array(self._views, self.game.dtype), array(self._ids),
        )  # fmt: skip
        if shape.by_block:
            arguments += (array(self._observation_words), array(self._mask_words),
                          self.form.size, self.game.num_actions, shape.per_block)  # fmt: skip
        else:
            arguments += array(self.observation), array(self.action_mask)
        like = examples(self.game, self.policies, self._terms, name)
        return self._device.launch(name, like, arguments, shape.blocks, shape.threads, shape.shared)

    def sample(self) -> "torch.Tensor":
        """Draw legal actions uniformly, int64 [number]; every call returns the same tensor."""
        self._check_started()
        device = self._device
        arguments = (
            device.array(self.action_mask), device.streams(self._picks), device.array(self._actions)
        )  # fmt: skip
        if self.on_cpu:
            game_kernels.pick_all(*arguments)
            return self._actions
        if "pick" not in self._launches:
            like = examples(self.game, (), self._terms, "pick")
            blocks = -(-self.number // THREADS)
            self._launches["pick"] = device.launch("pick", like, arguments, blocks)
        device.run(self._launches["pick"])
        return self._actions

    def decide(self, agent: AnyAgent, out: "torch.Tensor | None" = None) -> "torch.Tensor":
        """Return the actions of an agent for the players to act, int64 [number].

        They are written into `out`, a tensor such as `step` takes, by default a new one. An
        `InputError` refuses an unknown agent, one that decides in Python, and any other `out`.
        """
        self._check_started()
        if out is not None:
            self._check_actions(out)
        actions = self._device.zeros(self.number, dtype="int64") if out is None else out
        key = "decide", agent if isinstance(agent, str) else id(agent)
        held = self._launches.get(key)
        if held is None:
            policies = (kernel_policy(make_agent(self.game, agent, 0)),)
            launch = None if self.on_cpu else self._prepare_decide(policies, actions)
            held = self._launches[key] = policies, launch, agent
        policies, launch, _ = held
        if launch is None:
            game_kernels.decide_all(*self._deciding(policies, actions))
        else:
            launch.point(6, actions.data_ptr())
            self._device.run(launch)
        return actions

    def _prepare_decide(self, policies: Policies, actions: Any) -> Launch:
        threads = min(THREADS, self._lanes())
        return self._device.launch(
            "decide", examples(self.game, policies, self._terms, "decide"),
            self._deciding(policies, actions), self._lanes() // threads, threads,
        )  # fmt: skip

    def _deciding(self, policies: Policies, actions: Any) -> tuple[Any, ...]:
        device, dtype = self._device, self.game.dtype
        return (
            device.tables(self.game.rules), device.tables(policies),
            device.array(self.states, dtype), device.streams(self._picks),
            device.array(self._views, dtype), device.array(self._ids), device.array(actions),
        )  # fmt: skip
