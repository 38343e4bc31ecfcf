"""Kernels on a device: memory, launches, whole random games, and the kernels to compile ahead."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from closedhand.core import game_kernels
from closedhand.core.agents import Agent, make_agent
from closedhand.core.checks import InputError, shown
from closedhand.core.cubins import cubin, file_name
from closedhand.core.cuda_driver import DeviceArray, DeviceRecord, Launch, load
from closedhand.core.game import Game
from closedhand.core.game_kernels import ALL_SEATS, Games, Terms
from closedhand.core.numba.fast_call import with_parts
from closedhand.core.optional_imports import imported
from closedhand.core.policies import Policies, policy_of
from closedhand.core.stream import WEYL, make_streams
from closedhand.envs.common import ILLEGAL_REWARD, MOST_GAMES
from closedhand.envs.observation_form import COMPACT, PLANES, ObservationForm

if TYPE_CHECKING:
    import torch

ALIGNMENT = 16
"""Memory of observations and of masks is padded to a multiple of this many bytes."""
ROWS_OF_A_BLOCK = 56 * 1024
"""Most bytes of rows in a block of over 4 games: four such blocks fit an `sm_90` multiprocessor."""
MOST_PER_BLOCK, THREADS = 64, 128
"""Most games of a block in shared memory, at most `THREADS` / 2; number of threads of a block."""
BLOCKS = 4
"""Most blocks of a step per multiprocessor, twice as many if blocks use no shared memory."""
STACK = 20 * 1024
"""Bytes of stack of a thread for kernels that make arrays of variable length on it."""
LANES = 2**17
"""Most random games that are played at a time; each needs scratch space of its own."""
SPARE = 64  # bytes behind a table, as kernels may read whole words


class Shape(NamedTuple):
    """Launch configuration of a kernel."""

    by_block: bool  # whether a block writes observations and masks in shared memory first
    blocks: int
    threads: int  # of a block
    per_block: int  # games that a block plays at a time, if `by_block`
    shared: int  # bytes of shared memory of a block


_LOADED: dict[Any, Any] = {}


class Device:
    """A GPU, or the CPU, and copies of tables in its memory.

    Attributes:
        place: The `torch.device`.
        on_cpu: Whether the device is the CPU.
    """

    def __init__(self, device: Any) -> None:
        """Choose a device, as `check_device` does: `cuda`, `cuda:1`, …, or `cpu`."""
        self.torch = imported("torch")
        self.place = check_device(device)
        self.on_cpu = self.place.type == "cpu"
        self._tables: dict[int, tuple[Any, Any]] = {}

    def zeros(self, *shape: int, dtype: str) -> Any:
        """Allocate a tensor of zeros on the device; `dtype` is the name of a PyTorch type."""
        return self.torch.zeros(shape, dtype=getattr(self.torch, dtype), device=self.place)

    def array(self, tensor: Any, dtype: Any = None) -> Any:
        """Convert a tensor to an array that kernels take, without a copy.

        `dtype` is a type of the same size to read entries as, or a record type to read rows as.
        """
        records = dtype is not None and np.dtype(dtype).fields is not None
        if self.on_cpu:
            array = tensor.numpy()
            if records:
                return array.view(dtype)[:, 0]
            return array if dtype is None else array.view(dtype)
        shape = tuple(tensor.shape)
        if records:
            return DeviceArray(tensor.data_ptr(), shape[:1], shape[1])
        return DeviceArray(tensor.data_ptr(), shape, tensor.element_size())

    def streams(self, tensor: Any) -> Any:
        """Convert streams, int64 [n, 2], for kernels, which call `random()` of a row."""
        array = self.array(tensor, np.uint64)
        return array.view(type(make_streams(0))) if self.on_cpu else array

    def tables(self, value: Any) -> Any:
        """Return rules or policies; on a GPU, with copies of their tables there, each made once."""
        return value if self.on_cpu else with_parts(value, self._copied)

    def _copied(self, value: Any) -> Any:
        key = id(value)
        if not isinstance(value, np.record | np.ndarray):
            return value
        table: NDArray[Any] = np.asarray(value)  # pyright: ignore[reportUnknownArgumentType]
        if key not in self._tables:
            content = np.frombuffer(table.tobytes() + bytes(SPARE), np.uint8)
            tensor = self.torch.from_numpy(content.copy()).to(self.place)
            self._tables[key] = value, tensor  # keeps the value, so that no other gets its id
        pointer = int(self._tables[key][1].data_ptr())
        if isinstance(value, np.record):
            return DeviceRecord(pointer)
        return DeviceArray(pointer, table.shape, table.dtype.itemsize)

    def launch(
        self, name: str, like: tuple[Any, ...], arguments: tuple[Any, ...], blocks: int,
        threads: int = THREADS, shared: int = 0,
    ) -> Launch:  # fmt: skip
        """Find or compile a kernel of `core.numba.gpu.entries`, and bind its arguments.

        `like` are examples of the arguments' types, see `examples`. There are `blocks` blocks of
        `threads` threads, each block with `shared` bytes of shared memory.

        Raises:
            InputError: There is neither a compiled kernel nor a compiler, or the driver refuses it.
        """
        major, minor = self.torch.cuda.get_device_capability(self.place)
        arch = f"sm_{major}{minor}"
        key = file_name(name, like, arch), self.place, shared
        if key not in _LOADED:
            found = cubin(name, like, arch)
            with self.torch.cuda.device(self.place):
                self.torch.zeros(1, device=self.place)  # makes the CUDA context of this thread
                _LOADED[key] = load(found.image, name, shared, STACK if found.grows else 0)
        return Launch(_LOADED[key], arguments, blocks, threads, shared)

    def run(self, launch: Launch) -> None:
        """Launch on PyTorch's current stream of this GPU."""
        # The driver launches on the current GPU: make this one current.
        with self.torch.cuda.device(self.place):
            launch(int(self.torch.cuda.current_stream().cuda_stream))


def check_device(device: Any) -> "torch.device":
    """Return a device, the CPU or a GPU that PyTorch finds; an `InputError` refuses any other."""
    torch = imported("torch")
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError, ValueError):
        found = None
    if found is None or found.type not in ("cpu", "cuda"):
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
    """Name the kernel of a step, as in `core.numba.gpu.entries`."""
    return f"step_{'compact' if compact else 'planes'}" + ("_by_block" if by_block else "")


def shape_for(row: int, number: int, processors: int, most_shared: int) -> Shape:
    """Choose the launch configuration of a step of `number` games, see `core.numba.gpu.entries`.

    The observation and the mask of a game take `row` bytes. The GPU has `processors`
    multiprocessors, and a block may have `most_shared` bytes of shared memory. If four rows fit
    into that memory, a block writes the rows of 4 to `MOST_PER_BLOCK` games there. Else a thread
    plays a game and writes its row to global memory; `per_block` and `shared` are 0, unused.
    """
    # A multiple of 4, so that the rows of a block begin and end with whole words.
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
LEAST_SHARED = 99  # KiB of shared memory for architectures that are not listed


def kernels_of(game: Game, agents: Sequence[str], arch: str) -> Iterator[tuple[str, Any]]:
    """Yield the kernels of a game for `closedhand compile --gpu`: names and `examples`.

    `agents` are texts for `DeviceBatch.decide`; `arch` is an architecture, such as `sm_90`.
    """
    terms = Terms(game.num_players, game.staged, ALL_SEATS, ILLEGAL_REWARD)
    most = 1024 * SHARED.get(arch, LEAST_SHARED)
    for form in PLANES, COMPACT:  # the form `flat` has the kernels of `planes`
        row = ObservationForm(game, form).size + game.num_actions
        # Any numbers of games and processors: `by_block` does not depend on them.
        by_block = shape_for(row, MOST_GAMES, 1, most).by_block
        name = step_name(form == COMPACT, by_block)
        yield name, examples(game, (), terms, name)
    for name in "pick", "random_games":
        yield name, examples(game, (), terms, name)
    for agent in agents:
        policies = (kernel_policy(make_agent(game, agent, 0)),)
        yield "decide", examples(game, policies, terms, "decide")


def examples(game: Game, policies: Policies, terms: Terms, name: str) -> tuple[Any, ...]:
    """Make example arguments of a kernel of `core.numba.gpu.entries`: only their types matter.

    `policies` are those of the other seats, or for `decide` that of the agent.
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


def kernel_policy(agent: Agent) -> Any:
    """Return the policy of an agent; an `InputError` refuses one that decides in Python."""
    found = policy_of(agent)
    if found is None:
        raise InputError(
            f"agent {agent.name!r} decides in Python, which a device cannot call: choose one that "
            "decides in kernels, such as random"
        )
    return found


class RandomGames:
    """Games that are dealt and played out at random in one launch.

    Attributes:
        states: The ends of the games as bytes, uint8 [number, itemsize].
        streams: Their streams of random numbers, each a key and a count, int64 [number, 2].
        moves: Numbers of actions, int64 [number].
    """

    def __init__(self, game: Game, number: int, device: Any = "cuda") -> None:
        """Allocate memory for `number` games; errors are those of `Device` and `Device.launch`."""
        self._device = place = Device(device)
        self.states = place.zeros(number, game.dtype.itemsize, dtype="uint8")
        self.streams = place.zeros(number, 2, dtype="int64")
        self.moves = place.zeros(number, dtype="int64")
        lanes = 1 if place.on_cpu else min(number, LANES)
        self._ids = place.zeros(lanes, game.num_actions, dtype="int32")
        self._arguments = (
            place.tables(game.rules), place.array(self.states, game.dtype),
            place.streams(self.streams), place.array(self._ids), place.array(self.moves),
        )  # fmt: skip
        self._launch: Any = None
        if not place.on_cpu:
            terms = Terms(game.num_players, False, ALL_SEATS, 0.0)
            like = examples(game, (), terms, "random_games")
            blocks = -(-lanes // THREADS)
            self._launch = place.launch("random_games", like, self._arguments, blocks)

    def keys(self, first: int) -> NDArray[np.int64]:
        """Return the keys of the streams `first`, `first + 1`, …, int64 [number]."""
        keys = np.arange(first, first + len(self.moves), dtype=np.uint64) * WEYL
        return keys.view(np.int64)

    def play(self, keys: NDArray[np.int64]) -> Any:
        """Play a random game for each key, see `keys`; return `moves`, int64 [number].

        The next call overwrites the attributes.
        """
        self.streams[:, 0] = self._device.torch.from_numpy(keys).to(self._device.place)
        self.streams[:, 1] = 0
        if self._launch is None:
            game_kernels.random_games(*self._arguments)
        else:
            self._device.run(self._launch)
        return self.moves
