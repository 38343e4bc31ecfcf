"""Thousands of games side by side as tensors of PyTorch, on a GPU or on the CPU.

`DeviceBatch` holds the games, their observations, masks and rewards in tensors of fixed shape that
it changes in place, one launch a step, new games included. `DeviceVectorEnv` is a Gymnasium env on
it. On the CPU the same kernels run in a loop.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from closedhand.core import game_kernels
from closedhand.core.agents import Agent, make_agent
from closedhand.core.checks import InputError, check_seed, shown
from closedhand.core.cubins import cubin, file_name
from closedhand.core.cuda_driver import DeviceArray, DeviceRecord, Launch, load
from closedhand.core.game import Game
from closedhand.core.game_kernels import ALL_SEATS, RANDOM_SEAT, Games, Terms
from closedhand.core.numba.jit import draw_seed
from closedhand.core.optional_imports import needing
from closedhand.core.policies import Policies, policy_of
from closedhand.core.stream import WEYL, make_streams, seed_stream
from closedhand.envs import common
from closedhand.envs.common import ILLEGAL_REWARD
from closedhand.envs.observation_form import COMPACT, PLANES, ObservationForm
from closedhand.envs.opponents import Opponents, Spec, check_seat

if TYPE_CHECKING:
    import torch


def import_torch() -> Any:
    """PyTorch.

    Raises:
        InputError: It is not installed.
    """
    with needing():
        import torch
    return torch


MOST_GAMES = 2**24
"""Maximum number of games in a batch."""
ALIGNMENT = 16
"""Rows end at a multiple of this many bytes, so that they can be copied in words."""
ROWS_OF_A_BLOCK = 56 * 1024
"""Bytes of rows that a block draws in shared memory: four blocks share a multiprocessor."""
MOST_PER_BLOCK, THREADS = 64, 128
"""Games and threads of a block; half of its threads draw observations."""
BLOCKS = 4
"""Blocks a multiprocessor; more games are played by these in turn."""
STACK = 20 * 1024
"""Bytes of stack of a thread for code that cannot tell how much it needs."""
SPARE = 64
"""Bytes behind a table, as kernels may read whole words."""


class Shape(NamedTuple):
    """How a kernel is launched.

    Attributes:
        by_block: Whether a block draws the rows of its games in shared memory.
        blocks: Number of blocks.
        threads: Threads of a block.
        per_block: Games that a block plays at a time.
        shared: Bytes of shared memory of a block.
    """

    by_block: bool
    blocks: int
    threads: int
    per_block: int
    shared: int


class DeviceBatch:
    """Games on a device, changed in place.

    Attributes:
        game: The game.
        torch: PyTorch, which is imported when the first batch is made.
        number: Number of games.
        device: The device, a `torch.device`.
        form: Form of the observations.
        observation: int8 [number, size], of the player to act.
        action_mask: int8 [number, num_actions], of the player to act.
        player: Seat to act, int64 [number].
        actor: Seat that acted in the last step, -1 where a game was started instead, int64
            [number].
        rewards: What every seat was paid in the last step, float64 [number, num_players].
        status: After the last step `RUNNING`, `OVER`, `ILLEGAL` (an illegal action ended the game)
            or `REFUSED` (an opponent chose an illegal action) of `closedhand.core.game_kernels`,
            int8 [number]. A new game has begun where it is not `RUNNING`.
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
        illegal_reward: float = ILLEGAL_REWARD,
        shape: Shape | None = None,
    ) -> None:
        """Make room for games; `reset` starts them.

        Args:
            game: The game.
            number: Number of games.
            device: `cuda`, `cuda:1`, …, or `cpu`.
            observation: Form of the observations: `planes`, `flat` or `compact`.
            opponents: None, or who plays the other seats, as for `GameVectorEnv`: agents that
                decide in kernels.
            seat: With opponents the seat to play, or `random`: a new one for each game.
            illegal_reward: Reward of an illegal action.
            shape: How steps are launched on a GPU; None: as fits.

        Raises:
            InputError: No GPU, no room for so many games on it, an opponent that decides in Python,
                or an invalid option.
        """
        torch = import_torch()
        if type(number) is not int or not 1 <= number <= MOST_GAMES:
            raise InputError(f"the number of games is 1 to {MOST_GAMES}, not {shown(number)}")
        self.game, self.number = game, number
        self.form = ObservationForm(game, observation)
        self.illegal_reward = common.check_reward(illegal_reward)
        self.device = check_device(device)
        self.torch = torch
        self._scratch = max(game.num_actions, game.flat.num_actions)
        chosen = check_seat(game, seat)
        if opponents is None and seat != 0:
            raise InputError("seat needs opponents: without them all seats are played")
        self.policies = _policies(game, opponents)
        own = RANDOM_SEAT if chosen is None else chosen
        self._terms = Terms(
            game.num_players, bool(game.staged), ALL_SEATS if opponents is None else own,
            self.illegal_reward,
        )  # fmt: skip
        self.shape = shape or self._shape()
        self._check_memory()
        self._allocate()
        self._launches: dict[Any, Any] = {}
        self._tables: dict[int, tuple[Any, Any]] = {}
        self._started = False

    # Memory.

    @property
    def on_cpu(self) -> bool:
        """Whether the games are in the memory of the CPU."""
        return self.device.type == "cpu"

    @property
    def bytes_of_a_game(self) -> int:
        """Bytes that a game takes: its state, rows and numbers."""
        numbers = 16 * self.game.num_players + 8 * 7 + 2
        row = self.form.size + self.game.num_actions
        return self.game.dtype.itemsize + row + numbers

    @property
    def bytes_of_scratch(self) -> int:
        """Bytes of scratch space, whatever the number of games."""
        return self._lanes() * (4 * self._scratch + self.game.dtype.itemsize)

    def _lanes(self) -> int:
        """Games that are played at the same time, each with scratch space of its own."""
        if self.on_cpu:
            return 1
        each = self.shape.per_block if self.shape.by_block else self.shape.threads
        return self.shape.blocks * each

    def _shape(self) -> Shape:
        if self.on_cpu:
            return Shape(False, 1, 1, 1, 0)
        properties: Any = self.torch.cuda.get_device_properties(self.device)
        most = getattr(properties, "shared_memory_per_block_optin", 48 * 1024)
        return shape_for(
            self.form.size + self.game.num_actions, self.number,
            properties.multi_processor_count, most,
        )  # fmt: skip

    def _check_memory(self) -> None:
        """Refuse more games than fit before anything is allocated.

        Raises:
            InputError: There is no room for so many games.
        """
        if self.on_cpu:
            return
        free = self.torch.cuda.mem_get_info(self.device)[0]
        needed = self.number * self.bytes_of_a_game + self.bytes_of_scratch
        if needed > free:
            fit = max(0, (free - self.bytes_of_scratch) // self.bytes_of_a_game)
            raise InputError(
                f"{self.number} games of {self.game.name} need {needed / 1e9:.1f} GB on "
                f"{self.device}, where {free / 1e9:.1f} GB are free: {fit} games fit"
            )

    def _zeros(self, *shape: int, dtype: str) -> Any:
        return self.torch.zeros(shape, dtype=getattr(self.torch, dtype), device=self.device)

    def _rows(self, size: int) -> tuple[Any, Any]:
        """Rows of bytes, int8 [number, size], and all their memory as words, int32."""
        total = -(-self.number * size // ALIGNMENT) * ALIGNMENT
        memory = self._zeros(total, dtype="int8")
        rows = memory[: self.number * size].view(self.number, size)
        return rows, memory.view(self.torch.int32)

    def _allocate(self) -> None:
        number, seats = self.number, self.game.num_players
        self.states = self._zeros(number, self.game.dtype.itemsize, dtype="uint8")
        self.observation, self._observation_words = self._rows(self.form.size)
        self.action_mask, self._mask_words = self._rows(self.game.num_actions)
        self.rewards = self._zeros(number, seats, dtype="float64")
        self._paid = self._zeros(number, seats, dtype="float64")
        self.status = self._zeros(number, dtype="int8")
        self.actor = self._zeros(number, dtype="int64")
        self.player = self._zeros(number, dtype="int64")
        self.seats = self._zeros(number, dtype="int64")
        self._seeds = self._zeros(number, dtype="int64")
        self._streams = self._zeros(number, 2, dtype="int64")
        self._picks = self._zeros(number, 2, dtype="int64")
        self._chosen = self._zeros(number, dtype="int8")
        self._actions = self._zeros(number, dtype="int64")
        self._ids = self._zeros(self._lanes(), self._scratch, dtype="int32")
        self._views = self._zeros(self._lanes(), self.game.dtype.itemsize, dtype="uint8")

    # Arguments of kernels: examples for their types, arrays for the CPU, addresses for a GPU.

    def _array(self, tensor: Any, dtype: Any = None) -> Any:
        """A tensor as a kernel takes it, with the type of the states or of unsigned numbers."""
        if self.on_cpu:
            array = tensor.numpy()
            if dtype == self.game.dtype:
                return array.view(dtype)[:, 0]
            return array if dtype is None else array.view(dtype)
        shape = tuple(tensor.shape)
        if dtype == self.game.dtype:
            return DeviceArray(tensor.data_ptr(), shape[:1], shape[1])
        return DeviceArray(tensor.data_ptr(), shape, tensor.element_size())

    def _games(self) -> Games:
        array = self._array
        streams = array(self._streams, np.uint64)
        if self.on_cpu:
            streams = streams.view(type(make_streams(0)))
        return Games(
            array(self.states, self.game.dtype), streams, array(self._seeds, np.uint64),
            array(self.seats), array(self._paid), array(self.rewards), array(self.status),
            array(self.actor), array(self.player),
        )  # fmt: skip

    def examples(self, name: str) -> tuple[Any, ...]:
        """Arguments of a kernel as far as types matter; see `closedhand.core.cubins.cubin`.

        Args:
            name: One of `closedhand.core.numba.gpu.entries.ENTRIES`.
        """
        return examples(self.game, self.policies, self._terms, name)

    def _on_device(self, value: Any) -> Any:
        """Rules or policies with their tables in the memory of the GPU, once each."""
        if isinstance(value, np.record | np.ndarray):
            if id(value) not in self._tables:
                content = np.frombuffer(np.asarray(value).tobytes() + bytes(SPARE), np.uint8)
                tensor = self.torch.from_numpy(content.copy()).to(self.device)
                self._tables[id(value)] = value, tensor
            pointer = self._tables[id(value)][1].data_ptr()
            if isinstance(value, np.record):
                return DeviceRecord(pointer)
            return DeviceArray(pointer, value.shape, value.dtype.itemsize)
        if isinstance(value, tuple):
            parts: list[Any] = [self._on_device(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return value

    def _load(self, name: str, shared: int, entry_arguments: tuple[Any, ...]) -> Any:
        major, minor = self.torch.cuda.get_device_capability(self.device)
        arch = f"sm_{major}{minor}"
        key = file_name(name, entry_arguments, arch), self.device, shared
        if key not in _LOADED:
            found = cubin(name, entry_arguments, arch)
            self.torch.zeros(1, device=self.device)  # the context of this thread
            _LOADED[key] = load(found.image, name, shared, STACK if found.grows else 0)
        return _LOADED[key]

    def _stream(self) -> int:
        return int(self.torch.cuda.current_stream(self.device).cuda_stream)

    # Steps.

    def reset(self, seed: int | Sequence[int] | None = None, chosen: Any = None) -> None:
        """Start new games.

        Args:
            seed: Seed of game 0, where game i gets seed + i; or a seed for each game. None: the
                streams of the games continue.
            chosen: Where to start a new game, bool [number]; None: everywhere.

        Raises:
            InputError: An invalid seed or mask.
        """
        torch = self.torch
        if chosen is not None:
            mask = torch.as_tensor(chosen, device=self.device)
            if mask.dtype != torch.bool or tuple(mask.shape) != (self.number,):
                raise InputError(f"the mask of games must be bool [{self.number}]")
            if not self._started:
                raise InputError("no games are under way: reset all of them first")
            self._chosen.copy_(mask)
        else:
            self._chosen.fill_(1)
        if seed is not None or not self._started:
            seeds = first_seeds(seed, self.number)
            first, streams = first_numbers(seeds)
            now = self._chosen != 0
            for held, value in ((self._seeds, first), (self._streams, streams)):
                new = torch.from_numpy(value.view(np.int64)).to(self.device)
                held.copy_(torch.where(now if held.ndim == 1 else now[:, None], new, held))
            self._picks[:, 0] = self._streams[:, 0] ^ PICKS
            self._picks[:, 1] = 0
        self._started = True
        self._run(self._actions, starting=True)

    def step(self, actions: "torch.Tensor") -> None:
        """Play one action in each game; where that ends a game, the next one begins.

        Args:
            actions: Ids of actions of the players to act, int64 [number] on the same device. An
                illegal one ends its game.

        Raises:
            InputError: The actions are no such tensor, or no games were started.
        """
        if not self._started:
            raise InputError(common.RESET_FIRST)
        self._check_actions(actions)
        self._run(actions, starting=False)

    def _check_actions(self, actions: Any) -> None:
        torch = self.torch
        if not isinstance(actions, torch.Tensor):
            raise InputError(f"actions are a tensor on {self.device}, not {shown(actions)}")
        found = f"{actions.dtype} {list(actions.shape)} on {actions.device}".removeprefix("torch.")
        fits = actions.dtype == torch.int64 and tuple(actions.shape) == (self.number,)
        if not fits or actions.device != self.states.device or not actions.is_contiguous():
            raise InputError(
                f"actions are int64 [{self.number}] on {self.states.device} without gaps, not "
                f"{found}"
            )

    def _run(self, actions: Any, starting: bool) -> None:
        if self.on_cpu:
            arguments = self._launches.get("step")
            if arguments is None:
                arguments = self._launches["step"] = (
                    self._array(self._chosen), self._array(self._views, self.game.dtype),
                    self._array(self._ids), self._array(self.observation),
                    self._array(self.action_mask), self._games(),
                )  # fmt: skip
            chosen, views, ids, observation, mask, games = arguments
            game_kernels.step_games(
                self.game.rules, self.policies, games, self._terms, chosen, starting,
                actions.numpy(), self.form.compact, views, ids, observation, mask,
            )  # fmt: skip
            return
        launch = self._launches.get("step")
        if launch is None:
            launch = self._launches["step"] = self._prepare_step()
        if not self.shape.by_block:
            self._observation_words.zero_()
            self._mask_words.zero_()
        launch.set(5, starting)
        launch.point(6, actions.data_ptr())
        launch(self._stream())

    def _prepare_step(self) -> Launch:
        shape = self.shape
        name = step_name(self.form.compact, shape.by_block)
        array = self._array
        arguments: tuple[Any, ...] = (
            self._on_device(self.game.rules), self._on_device(self.policies), self._games(),
            self._terms, array(self._chosen), False, array(self._actions),
            array(self._views, self.game.dtype), array(self._ids),
        )  # fmt: skip
        if shape.by_block:
            arguments += (array(self._observation_words), array(self._mask_words),
                          self.form.size, self.game.num_actions, shape.per_block)  # fmt: skip
        else:
            arguments += array(self.observation), array(self.action_mask)
        code = self._load(name, shape.shared, self.examples(name))
        return Launch(code, arguments, shape.blocks, shape.threads, shape.shared)

    def sample(self) -> "torch.Tensor":
        """A uniformly random legal action for every game, int64 [number]; the same tensor."""
        if self.on_cpu:
            game_kernels.pick_all(
                self._array(self.action_mask), self._picks_on_cpu(), self._array(self._actions)
            )
            return self._actions
        launch = self._launches.get("pick")
        if launch is None:
            arguments = (self._array(self.action_mask), self._array(self._picks),
                         self._array(self._actions))  # fmt: skip
            code = self._load("pick", 0, self.examples("pick"))
            launch = Launch(code, arguments, -(-self.number // THREADS), THREADS, 0)
            self._launches["pick"] = launch
        launch(self._stream())
        return self._actions

    def _picks_on_cpu(self) -> Any:
        return self._array(self._picks, np.uint64).view(type(make_streams(0)))

    def decide(self, agent: str | Agent, out: "torch.Tensor | None" = None) -> "torch.Tensor":
        """The actions of an agent for the players to act.

        Args:
            agent: An agent that decides in kernels, by name or as an object.
            out: Where to write them, int64 [number].

        Returns:
            int64 [number]; `out` if given.

        Raises:
            InputError: The agent decides in Python.
        """
        actions = self._zeros(self.number, dtype="int64") if out is None else out
        key = "decide", agent if isinstance(agent, str) else id(agent)
        held = self._launches.get(key)
        if held is None:
            policies = (_policy(self.game, make_agent(self.game, agent, 0)),)
            held = self._launches[key] = policies, self._prepare_decide(policies, actions), agent
        policies, launch, _ = held
        if self.on_cpu:
            games = self._games()
            game_kernels.decide_all(
                self.game.rules, policies, games.states, self._picks_on_cpu(),
                self._array(self._views, self.game.dtype), self._array(self._ids),
                self._array(actions),
            )  # fmt: skip
        else:
            launch.point(6, actions.data_ptr())
            launch(self._stream())
        return actions

    def _prepare_decide(self, policies: Policies, actions: Any) -> Launch | None:
        if self.on_cpu:
            return None
        array, threads = self._array, min(THREADS, self._lanes())
        arguments = (
            self._on_device(self.game.rules), self._on_device(policies),
            array(self.states, self.game.dtype), array(self._picks),
            array(self._views, self.game.dtype), array(self._ids), array(actions),
        )  # fmt: skip
        code = self._load("decide", 0, examples(self.game, policies, self._terms, "decide"))
        return Launch(code, arguments, self._lanes() // threads, threads, 0)


_LOADED: dict[Any, Any] = {}
"""Kernels that were loaded, by file, device and shared memory."""


class RandomGames:
    """Whole games with uniformly random actions, from deal to end, one thread a game on a GPU.

    Attributes:
        states: The games at their end, as bytes, uint8 [number, itemsize].
        streams: Their random numbers, int64 [number, 2].
        moves: Number of actions of each, int64 [number].
    """

    def __init__(self, game: Game, number: int, device: Any = "cuda") -> None:
        """Make room.

        Args:
            game: The game.
            number: Number of games.
            device: `cuda`, `cuda:1`, …, or `cpu`.

        Raises:
            InputError: There is no such device.
        """
        # The batch lends its memory, tables and launches.
        self._batch = batch = DeviceBatch(
            game, number, device=device, observation=COMPACT, shape=_LENT
        )
        torch = batch.torch
        self.states = batch.states
        self.streams = batch._streams
        self.moves = batch._actions
        self._lanes = 1 if batch.on_cpu else min(number, MOST_LANES)
        self._ids = torch.zeros(
            (self._lanes, batch._scratch), dtype=torch.int32, device=batch.device
        )
        self._launch: Launch | None = None

    def play(self, seed: int) -> None:
        """Play new games; game i draws from the key `seed + i`.

        Args:
            seed: A whole number.
        """
        batch, torch = self._batch, self._batch.torch
        keys = np.arange(seed, seed + batch.number, dtype=np.uint64) * WEYL
        self.streams[:, 0] = torch.from_numpy(keys.view(np.int64)).to(batch.device)
        self.streams[:, 1] = 0
        array = batch._array
        if batch.on_cpu:
            streams = array(self.streams, np.uint64).view(type(make_streams(0)))
            game_kernels.random_games(
                batch.game.rules, array(self.states, batch.game.dtype), streams,
                array(self._ids), array(self.moves),
            )  # fmt: skip
            return
        if self._launch is None:
            arguments = (
                batch._on_device(batch.game.rules), array(self.states, batch.game.dtype),
                array(self.streams), array(self._ids), array(self.moves),
            )  # fmt: skip
            code = batch._load("random_games", 0, batch.examples("random_games"))
            self._launch = Launch(code, arguments, -(-self._lanes // THREADS), THREADS, 0)
        self._launch(batch._stream())


MOST_LANES = 2**17
"""Random games that are played at the same time."""
_LENT = Shape(False, 1, 1, 0, 0)
"""How a batch would be launched of which only the memory is used."""
PICKS = 0x5DEECE66D
"""Tells the keys of `sample` from those of the games."""


def first_seeds(seed: Any, number: int) -> list[int | None]:
    """The seed of each game.

    Raises:
        InputError: A wrong number of seeds, or an invalid one.
    """
    if seed is None:
        return [None] * number
    if isinstance(seed, str | bytes) or not isinstance(seed, Sequence | np.ndarray):
        first = check_seed(seed)
        return [first + i for i in range(number)]
    seeds = list(seed)
    if len(seeds) != number:
        raise InputError(f"{number} games need as many seeds, not {len(seeds)}")
    return [check_seed(each) for each in seeds]


def first_numbers(seeds: Sequence[int | None]) -> tuple[np.ndarray, np.ndarray]:
    """The seeds of the first deals, uint64 [n], and streams for the rest, uint64 [n, 2]."""
    deals = np.zeros(len(seeds), np.uint64)
    streams = make_streams(len(seeds))
    for i, seed in enumerate(seeds):
        rng = np.random.default_rng(seed)
        deals[i] = draw_seed(rng)
        seed_stream(streams[i], rng)
    return deals, np.asarray(streams)


def check_device(device: Any) -> "torch.device":
    """A device of PyTorch.

    Raises:
        InputError: There is no such device.
    """
    torch = import_torch()
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError):
        raise InputError(f"device is cpu, cuda or cuda:0, not {shown(device)}") from None
    if found.type not in ("cpu", "cuda"):
        raise InputError(f"device is cpu, cuda or cuda:0, not {shown(device)}")
    if found.type == "cpu":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        why = "no CUDA" if torch.version.cuda is None else "no GPU or no driver"
        raise InputError(
            f"device {shown(device)} is not available: PyTorch {torch.__version__} finds {why}; "
            "install a driver and a build of PyTorch with CUDA, or use device='cpu'"
        )
    index = torch.cuda.current_device() if found.index is None else found.index
    if index >= torch.cuda.device_count():
        raise InputError(f"there are {torch.cuda.device_count()} GPUs: no {shown(device)}")
    return torch.device("cuda", index)


def step_name(compact: bool, by_block: bool) -> str:
    """The name of the kernel of a step."""
    return f"step_{'compact' if compact else 'planes'}" + ("_by_block" if by_block else "")


def shape_for(row: int, number: int, processors: int, most_shared: int) -> Shape:
    """How to launch steps.

    Args:
        row: Bytes of the observation and the mask of a game.
        number: Number of games.
        processors: Number of multiprocessors.
        most_shared: Bytes of shared memory that a block may have.
    """
    per_block = min(MOST_PER_BLOCK, min(ROWS_OF_A_BLOCK, most_shared) // row // 4 * 4)
    if per_block < 4 and 4 * row <= most_shared:
        per_block = 4
    if per_block < 4:
        blocks = min(-(-number // THREADS), 2 * BLOCKS * processors)
        return Shape(False, blocks, THREADS, 0, 0)
    blocks = min(-(-number // per_block), BLOCKS * processors)
    return Shape(True, blocks, THREADS, per_block, -(-per_block * row // ALIGNMENT) * ALIGNMENT)


SHARED = {"sm_75": 64, "sm_80": 163, "sm_90": 227, "sm_100": 227}
"""KiB of shared memory that a block may have, by architecture."""
LEAST_SHARED = 99
"""The same for architectures that are not listed."""


def kernels_of(game: Game, agents: Sequence[str], arch: str) -> Iterator[tuple[str, Any]]:
    """The kernels of a game: names, and arguments for `closedhand.core.cubins`.

    Args:
        game: The game.
        agents: Agents of `DeviceBatch.decide`.
        arch: Architecture, such as `sm_90`.

    Raises:
        InputError: An unknown agent, or one that decides in Python.
    """
    terms = Terms(game.num_players, bool(game.staged), ALL_SEATS, ILLEGAL_REWARD)
    most = 1024 * SHARED.get(arch, LEAST_SHARED)
    for form in PLANES, COMPACT:
        row = ObservationForm(game, form).size + game.num_actions
        by_block = shape_for(row, MOST_GAMES, 1, most).by_block
        name = step_name(form == COMPACT, by_block)
        yield name, examples(game, (), terms, name)
    for name in "pick", "random_games":
        yield name, examples(game, (), terms, name)
    for agent in agents:
        policies = (_policy(game, make_agent(game, agent, 0)),)
        yield "decide", examples(game, policies, terms, "decide")


def examples(game: Game, policies: Policies, terms: Terms, name: str) -> tuple[Any, ...]:
    """Arguments of a kernel of a GPU as far as types matter.

    Args:
        game: The game.
        policies: Policies of the other seats, or of who decides.
        terms: Terms of the games.
        name: One of `closedhand.core.numba.gpu.entries.ENTRIES`.
    """
    numbers, streams = np.zeros(1, np.int64), np.zeros((1, 2), np.uint64)
    bytes_, rows = np.zeros(1, np.int8), np.zeros((1, 1), np.int8)
    floats, states = np.zeros((1, 1)), game.empty(1)
    ids, words = np.zeros((1, 1), np.int32), np.zeros(1, np.int32)
    if name == "pick":
        return rows, streams, numbers
    if name == "decide":
        return game.rules, policies, states, streams, states, ids, numbers
    if name == "random_games":
        return game.rules, states, streams, ids, numbers
    games = Games(
        states, streams, streams[:, 0].copy(), numbers, floats, floats, bytes_, numbers, numbers
    )
    common_ = game.rules, policies, games, terms, bytes_, False, numbers, states, ids
    return (*common_, words, words, 1, 1, 1) if name.endswith("block") else (*common_, rows, rows)


def _policy(game: Game, agent: Agent) -> Any:
    """The policy of an agent.

    Raises:
        InputError: It decides in Python.
    """
    found = policy_of(agent)
    if found is None:
        raise InputError(
            f"agent {agent.name!r} decides in Python, which a device cannot call: choose one that "
            "decides in kernels, such as random"
        )
    return found


def _policies(game: Game, opponents: Spec | None) -> Policies:
    if opponents is None:
        return ()
    agents = Opponents(game, opponents, np.random.default_rng(0)).agents
    return tuple(_policy(game, agent) for agent in agents)
