"""The policy and kicker networks: their shapes, what they see, their files."""

from pathlib import Path

import numpy as np
import pytest
from support_torch import QUIET, torch

from closedhand import InputError
from closedhand.agents.doudizhu.deeprocket import networks, pairs, recorded

pytest.importorskip("pyarrow")

pytestmark = QUIET


def some(games: recorded.Games, kind: str, number: int = 12) -> pairs.Batch:
    return pairs.encode(games, kind, pairs.index(games, kind)[:number])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "depth", "size"),
    [
        (kind, depth, size)
        for kind, depth in (("policy", 10), ("kicker", 5))
        for size in networks.KINDS[kind].sizes
    ],
)
def test_networks_have_the_papers_shapes(
    games: recorded.Games, kind: str, depth: int, size: str
) -> None:
    network = networks.Network(kind, size)
    assert len(network.convolutions) == depth
    batch = some(games, kind, 2)
    shares = networks.probabilities(network.eval(), *(part.numpy() for part in batch[:3]))
    assert shares.shape == (2, {"policy": 309, "kicker": 28}[kind])
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares[~batch.mask.numpy()] == 0).all()


def test_the_paper_has_512_filters_and_one_row_at_the_end() -> None:
    network = networks.Network("policy", "paper")
    assert {layer.out_channels for layer in network.convolutions} == {512}
    assert network.head.in_features == 15 * 512
    assert sorted(network.skips) == [3, 6, 9]
    assert sorted(networks.Network("policy", "small").skips) == [2, 4, 6, 8]


def test_the_plain_network_of_the_papers_text() -> None:
    """Strides and no skip connections, at any width."""
    for size, filters in (("small", 96), ("wide", 144), ("paper", 512)):
        network = networks.Network("policy", size, status=False, skips=False, strides=True)
        assert {layer.out_channels for layer in network.convolutions} == {filters}
        assert len({layer.stride for layer in network.convolutions}) > 1
        assert not network.skips and network.bias is None
        assert network.head.in_features == 15 * filters
        # Nothing begins at zero where no skip connection bridges it.
        assert all(layer.weight.any() for layer in network.convolutions)
    assert {layer.stride for layer in networks.Network("policy").convolutions} == {(1, 1)}
    with pytest.raises(InputError, match="the size paper has strides; without them there is small"):
        networks.Network("policy", "paper", strides=False)
    with pytest.raises(InputError, match="this network has no strides"):
        networks.Network("bid", strides=True)


def test_files_tell_the_switches(tmp_path: Path) -> None:
    plain = networks.Network("kicker", skips=False, strides=True)
    networks.save(tmp_path / "plain.safetensors", plain, {})
    found, _ = networks.load(tmp_path / "plain.safetensors", "kicker")
    assert found.config == plain.config and not found.skips


def test_the_status_is_seen_unless_it_is_left_out(games: recorded.Games) -> None:
    batch = some(games, "policy")
    other = batch.status.clone()
    other[:, 4] = 1
    for status in (True, False):
        torch.manual_seed(0)
        network = networks.Network("policy", status=status).eval()
        one, two = (network(batch.planes, each, batch.mask) for each in (batch.status, other))
        assert (one != two).any() == status


def test_each_role_has_a_layer_of_its_own(games: recorded.Games) -> None:
    torch.manual_seed(0)
    network = networks.Network("policy", status=False, roles=True).eval()
    batch = some(games, "policy")
    status = torch.zeros_like(batch.status)
    status[:, 1] = 1
    before = network(batch.planes, status, batch.mask)
    with torch.no_grad():
        # The outputs of the landlord, then of the down peasant, then of the up peasant.
        network.head.bias[:309] += torch.randn(309)
        assert torch.equal(network(batch.planes, status, batch.mask), before)
        network.head.bias[309:618] += torch.randn(309)
        assert not torch.equal(network(batch.planes, status, batch.mask), before)


def test_networks_are_saved_with_what_is_known_of_them(
    games: recorded.Games, tmp_path: Path
) -> None:
    network = networks.Network("policy", roles=True)
    networks.save(tmp_path / "a.safetensors", network, {"expert": "greedy"})
    loaded, provenance = networks.load(tmp_path / "a.safetensors", "policy")
    assert loaded.config == network.config
    assert provenance == {"expert": "greedy"}
    inputs = some(games, "policy")[:3]
    assert torch.allclose(loaded(*inputs), network.eval()(*inputs))
    with pytest.raises(InputError, match="policy network, not a kicker"):
        networks.load(tmp_path / "a.safetensors", "kicker")
    with pytest.raises(InputError, match="cannot read"):
        networks.load(tmp_path / "b.safetensors", "policy")
    (tmp_path / "b.safetensors").write_bytes((tmp_path / "a.safetensors").read_bytes()[:999])
    with pytest.raises(InputError, match="is not a network") as caught:
        networks.load(tmp_path / "b.safetensors", "policy")
    assert "\n" not in str(caught.value)


def test_unknown_networks_are_refused() -> None:
    with pytest.raises(InputError, match="no size 'huge'"):
        networks.Network("policy", "huge")
    with pytest.raises(InputError, match="no network 'value'"):
        networks.Network("value")
