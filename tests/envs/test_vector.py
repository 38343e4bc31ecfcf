"""The VectorEnv: opponents, autoreset, infos, copies, bad input; `check_game` compares the envs."""

import copy
import pickle
from typing import Any
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from support import VARIANTS, variant_id
from support_envs import Fixed, deal_of, make_solo

from closedhand import InputError, make_game
from closedhand.core.registry import GAMES as ENVIRONMENTS
from closedhand.envs import vector
from closedhand.envs.seat_vector import SeatVectorEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.testing.envs import as_in_vector

NEXT, SAME, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED


def make_vec(variant: tuple[str, dict[str, Any]], num_envs: int, **options: Any) -> GameVectorEnv:
    name, rules = variant
    return gymnasium.make_vec(  # type: ignore[return-value]
        ENVIRONMENTS[name].gymnasium_id,
        num_envs=num_envs,
        **rules,
        **{"reward": "actor", **options},
    )


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random legal action in every game, 0 where there is none."""
    return np.argmax(masks * rng.random(masks.shape), axis=1)


def row(part: Any, i: int) -> Any:
    """What a batched value says of game i."""
    return {key: value[i] for key, value in part.items()}


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("variant", [VARIANTS[0], VARIANTS[-1]], ids=variant_id)
def test_one_seat_is_the_solo_env_game_by_game(variant: Any, seat: int) -> None:
    number = 3
    singles = [make_solo(variant, seat=seat) for _ in range(number)]
    opponents = Fixed(make_game(variant[0], **variant[1]))
    envs = make_vec(variant, number, opponents=opponents, seat=seat)
    looks = [env.reset(seed=i) for i, env in enumerate(singles)]
    observations, infos = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(number, bool)
    rewards, paid = np.zeros(number), 0
    for _ in range(60):
        for i, (observation, *_, info) in enumerate(looks):
            assert data_equivalence(as_in_vector(observation, over[i]), row(observations, i))
            assert infos["current_player"][i] == info["current_player"]
            assert infos["_returns"][i] == ("returns" in info) == over[i]
        actions = choose(observations["action_mask"], rng)
        before = over
        observations, rewards, over, _, infos = envs.step(actions)
        # Later deals come from the streams of the games.
        looks = [
            env.reset(options={"state": envs.states[i]}) if before[i] else env.step(actions[i])
            for i, env in enumerate(singles)
        ]
        assert rewards.tolist() == [look[1] if len(look) == 5 else 0 for look in looks]
        paid += rewards.any()
    assert paid > 1


@pytest.mark.parametrize("variant", [VARIANTS[1], VARIANTS[-1]], ids=variant_id)
def test_a_game_depends_on_no_other_one(variant: tuple[str, dict[str, Any]]) -> None:
    number = 3
    options: Any = {"opponents": "random", "seat": "random"}
    together = make_vec(variant, number, **options)
    alone = [make_vec(variant, 1, **options) for _ in range(number)]
    observations, _ = together.reset(seed=5)
    looks = [env.reset(seed=5 + i) for i, env in enumerate(alone)]
    rng = np.random.default_rng(0)
    for _ in range(60):
        for i, (observation, *_) in enumerate(looks):
            assert data_equivalence(row(observation, 0), row(observations, i))
        actions = choose(observations["action_mask"], rng)
        observations, *_ = together.step(actions)
        looks = [env.step(actions[i : i + 1]) for i, env in enumerate(alone)]


@pytest.mark.parametrize("mode", [NEXT, SAME])
@pytest.mark.parametrize("opponents", [None, "random"])
def test_results_do_not_depend_on_threads(opponents: Any, mode: AutoresetMode) -> None:
    # Five games do not divide into two or three equal shares, and eight threads are too many.
    envs = [
        make_vec(VARIANTS[1], 5, opponents=opponents, autoreset_mode=mode, num_threads=threads)
        for threads in (1, 2, 3, 8)
    ]
    looks = [env.reset(seed=5) for env in envs]
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(120):
        actions = choose(looks[0][0]["action_mask"], rng)
        looks = [env.step(actions) for env in envs]
        ended += looks[0][2].sum()
        for look in looks[1:]:
            assert data_equivalence(look, looks[0])
    assert ended > 1


@pytest.mark.parametrize("variant", [VARIANTS[1], VARIANTS[-1]], ids=variant_id)
def test_same_step_reset(variant: tuple[str, dict[str, Any]]) -> None:
    next_step, same_step = (
        make_vec(variant, 8, autoreset_mode=mode) for mode in (NEXT, SAME)
    )  # fmt: skip
    rng = np.random.default_rng(0)
    observations, _ = same_step.reset(seed=0)
    next_step.reset(seed=0)
    ends = 0
    while ends < 10:
        actions = choose(observations["action_mask"], rng)
        expected, rewards, over, _, last = next_step.step(actions)
        observations, same_rewards, same_over, _, infos = same_step.step(actions)
        assert (rewards == same_rewards).all() and (over == same_over).all()
        assert ("final_obs" in infos) == over.any()
        # Those who ended or not: every row of a step has rewards and an actor.
        assert infos["_rewards"].all() and infos["_actor"].all()
        if next_step.game.staged:
            assert (infos["rewards"] == last["rewards"]).all()
        if not over.any():
            continue
        ends += over.sum()
        assert (infos["_final_obs"] == over).all() and (infos["_final_info"] == over).all()
        assert not infos["_returns"].any()
        assert (infos["final_info"]["returns"] == last["returns"]).all()
        for name in ("rewards", "actor"):
            assert not np.shares_memory(infos[name], infos["final_info"][name])
        for i in np.flatnonzero(over):
            assert data_equivalence(infos["final_obs"][i], row(expected, i))
        # The two are in step again once the other has started its new games.
        next_step = copy.deepcopy(same_step)
        next_step.autoreset_mode = NEXT


def test_disabled_reset_takes_a_mask() -> None:
    envs = make_vec(VARIANTS[0], 3, autoreset_mode=DISABLED)
    observations, _ = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    over = np.zeros(3, bool)
    while not over.any():
        observations, _, over, _, _ = envs.step(choose(observations["action_mask"], rng))
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(3, int))
    before = envs.states
    fresh, infos = envs.reset(options={"reset_mask": over})
    assert ((envs.states == before) == ~over).all()
    assert infos["action_mask"].any(axis=1).all()
    envs.step(choose(fresh["action_mask"], rng))


def test_an_illegal_action_ends_its_game_only() -> None:
    envs, twin = make_vec(VARIANTS[0], 3, illegal_reward=-7), make_vec(VARIANTS[0], 3)
    observations, _ = envs.reset(seed=0)
    twin.reset(seed=0)
    actions = choose(observations["action_mask"], np.random.default_rng(0))
    wrong = actions.copy()
    wrong[1] = 99_999
    observations, rewards, over, _, infos = envs.step(wrong)
    expected, *_ = twin.step(actions)
    assert rewards.tolist() == [0, -7, 0] and over.tolist() == [False, True, False]
    assert infos["illegal_action"].tolist() == over.tolist() == infos["_illegal_action"].tolist()
    assert not infos["_returns"].any() and observations["action_mask"][1].tolist()[:2] == [1, 0]
    assert infos["rewards"].tolist() == [[0, 0, 0], [-7, 0, 0], [0, 0, 0]]
    for i in (0, 2):
        assert data_equivalence(row(observations, i), row(expected, i))
    observations, rewards, over, _, infos = envs.step(actions)
    assert not over[1] and rewards[1] == 0 and observations["action_mask"][1].any()


def test_arrays_are_new_at_each_step() -> None:
    envs = make_vec(VARIANTS[0], 2)
    observations, infos = envs.reset(seed=0)
    actions = choose(observations["action_mask"], np.random.default_rng(0))
    later, _, _, _, later_infos = envs.step(actions)
    for old, new in ((observations, later), (infos, later_infos)):
        assert not any(np.shares_memory(old[key], new[key]) for key in old)


@pytest.mark.parametrize("opponents", [False, True])
@pytest.mark.parametrize("clone", [copy.deepcopy, copy.copy, "pickle"])
def test_copies_go_on_with_the_games(clone: Any, opponents: bool) -> None:
    if clone == "pickle":
        clone = lambda env: pickle.loads(pickle.dumps(env))  # noqa: E731
    options = {"opponents": Fixed(make_game("doudizhu")), "seat": 1} if opponents else {}
    envs = make_vec(VARIANTS[0], 4, **options)
    observations, _ = envs.reset(seed=0)
    observations, *_ = envs.step(choose(observations["action_mask"], np.random.default_rng(0)))
    logs = []
    for one in (envs, clone(envs)):
        rng, log = np.random.default_rng(1), [(observations,)]
        for _ in range(100):
            log.append(one.step(choose(log[-1][0]["action_mask"], rng)))
        logs.append(log)
    assert data_equivalence(*logs)


def test_states_can_be_returned_to() -> None:
    envs = make_vec(VARIANTS[1], 4)
    observations, infos = envs.reset(seed=0)
    states = envs.states
    envs.step(choose(observations["action_mask"], np.random.default_rng(0)))
    assert (envs.states != states).any()
    for i, state in enumerate(states):
        seen = envs.reset(options={"state": state, "reset_mask": np.arange(4) == i})
    assert data_equivalence(seen, (observations, infos))


def test_seeds() -> None:
    envs = make_vec(VARIANTS[0], 3)
    envs.reset(seed=5)
    first = envs.states
    envs.reset()
    assert (envs.states != first).all()
    envs.reset(seed=[7, 6, 5])
    assert (envs.states == first[::-1]).all()
    with pytest.raises(InputError, match="3 games need as many seeds, not 2"):
        envs.reset(seed=[1, 2])


def test_reset_starts_from_a_deal() -> None:
    envs = make_vec(VARIANTS[0], 2)
    deal = deal_of(VARIANTS[0])
    envs.reset(options={"deal": deal})
    assert {envs.game.deal_text(state) for state in envs.states} == {deal}


def test_renders() -> None:
    envs = make_vec(VARIANTS[0], 2, render_mode="ansi")
    envs.reset(seed=0)
    frames = envs.render()
    assert frames is not None and len(frames) == 2 and "landlord" in frames[0]


def test_human_mode_prints_the_tables_after_every_reset_and_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    envs, twin = (make_vec(("leduc", {}), 2, render_mode=mode) for mode in ("human", "ansi"))
    actions = np.zeros(2, int)
    for part in (envs, twin):
        observations, _ = part.reset(seed=0)
        actions = observations["action_mask"].argmax(axis=1)
    first = twin.render()
    assert capsys.readouterr().out == "".join(f"{frame}\n\n" for frame in first or "")
    for part in (envs, twin):
        part.step(actions)
    after = twin.render()
    assert capsys.readouterr().out == "".join(f"{frame}\n\n" for frame in after or "") != ""
    assert after != first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs is a whole number of 1 or more, not 0"),
        ({"num_threads": 0}, "num_threads is a whole number of 1 or more"),
        ({"num_envs": 10**9}, "num_envs is at most 16,777,216"),
        ({"autoreset_mode": "Never"}, "no autoreset mode 'Never'"),
        (
            {"rules": "house"},
            "rules is deeprocket, rlcard, openspiel, douzero, botzone, mini, tiny or two_players, "
            "not 'house'",
        ),
        ({"seat": 1}, "seat needs opponents"),
        ({"seat": 7}, "seat must be 0 to 2"),
        ({"opponents": "nobody"}, "no agent 'nobody'"),
    ],
)
def test_bad_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        GameVectorEnv("doudizhu", **options)


def test_numbers_of_numpy_are_numbers() -> None:
    assert GameVectorEnv("leduc", np.int64(3), num_threads=np.int32(1)).num_envs == 3
    assert SeatVectorEnv("doudizhu", np.uint8(100)).num_envs == 300


@pytest.mark.parametrize("actions", [[1], [[1, 2]], [0.5, 1.5], ["a", "b"]])
def test_bad_actions(actions: Any) -> None:
    envs = make_vec(VARIANTS[0], 2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.zeros(2, int))
    envs.reset(seed=0)
    with pytest.raises(InputError, match="actions are 2 whole numbers"):
        envs.step(actions)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [NEXT, SAME], ids=lambda mode: mode.name)
@pytest.mark.parametrize("opponents", [False, True])
@pytest.mark.parametrize("name", ["leduc", "daihinmin"])
def test_games_that_are_not_chosen_stay_as_they_are(
    name: str, opponents: bool, mode: AutoresetMode
) -> None:
    """Every game goes the same way, whether the others are stepped with it or not."""
    games, steps = 4, 30
    rules = {"rounds": 2} if name == "daihinmin" else {}
    fixed = {"opponents": Fixed(make_game(name, **rules))} if opponents else {}
    several = [
        make_vec((name, rules), games, autoreset_mode=mode, observation="compact", **fixed)
        for _ in range(2)
    ]
    told: list[list[list[Any]]] = [[[] for _ in range(games)] for _ in several]
    rng = np.random.default_rng(1)
    for together, envs in enumerate(several):
        masks = envs.reset(seed=3)[0]["action_mask"]
        done = np.zeros(games, int)
        while (done < steps).any():
            chosen = (rng.random(games) < 0.5) | bool(together)
            if not chosen.any():
                continue
            actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
            actions[done % 17 == 5] = 99_999  # illegal, or a pass in Daihinmin
            before = envs.states
            given = {} if together else {"chosen": chosen}
            seen, rewards, ends, _, infos = envs.step(actions, **given)
            assert (envs.states == before)[~chosen].all()
            assert not rewards[~chosen].any() and not ends[~chosen].any()
            assert not infos["rewards"][~chosen].any() and (infos["actor"][~chosen] == -1).all()
            for i in np.flatnonzero(chosen & (done < steps)):
                paid = infos["rewards"][i].tolist()
                look = seen["observation"][i].tobytes()
                told[together][i].append((look, rewards[i], paid, ends[i], infos["actor"][i]))
            done += chosen
            masks = seen["action_mask"]
    assert told[0] == told[1]
    assert sum(step[3] for game in told[0] for step in game) > 3


@pytest.mark.parametrize("mask", [[True], [False, False], [1, 0]])
def test_bad_choice_of_games(mask: Any) -> None:
    envs = make_vec(VARIANTS[0], 2)
    envs.reset(seed=1)
    before = envs.states
    with pytest.raises(InputError, match=r"chosen must be bool \[2\] with at least one True"):
        envs.step(np.zeros(2, int), chosen=np.array(mask))
    assert (envs.states == before).all()


@pytest.mark.parametrize("mask", [[True], [False, False], [1, 0]])
def test_bad_reset_mask(mask: Any) -> None:
    with pytest.raises(InputError, match="reset_mask"):
        make_vec(VARIANTS[0], 2).reset(options={"reset_mask": np.array(mask)})


def test_the_first_reset_is_of_all_games() -> None:
    """The others would show a blank state, which no deal has."""
    for envs in (GameVectorEnv("leduc", 2), SeatVectorEnv("leduc", 2)):
        some = np.arange(envs.num_envs) < envs.num_envs // 2
        with pytest.raises(InputError, match="reset all of them first"):
            envs.reset(options={"reset_mask": some})
        envs.reset(options={"reset_mask": some | True})
        envs.reset(options={"reset_mask": some})


@pytest.mark.parametrize("opponents", [None, "random"])
def test_a_compilation_that_is_interrupted_is_repeated(
    opponents: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    envs = GameVectorEnv("leduc", 2, opponents=opponents)
    with monkeypatch.context() as patch:
        patch.setattr(vector, "entry", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            envs.reset(seed=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.observe()
    assert envs.reset(seed=1)[1]["action_mask"].any(axis=1).all()


LISTED = [VARIANTS[0], ("leduc", {}), ("chinese_poker", {}), ("daihinmin", {})]


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.name)
@pytest.mark.parametrize("variant", LISTED, ids=variant_id)
def test_legal_actions_are_listed_instead_of_masked(variant: Any, mode: AutoresetMode) -> None:
    masked, both, listed = (
        make_vec(variant, 3, autoreset_mode=mode, legal=legal) for legal in ("mask", "both", "ids")
    )
    assert set(masked.single_observation_space.spaces) == {
        *listed.single_observation_space.spaces,
        "action_mask",
    }
    rng, ends, over = np.random.default_rng(0), 0, np.zeros(3, bool)
    looks = [(*env.reset(seed=0), None) for env in (masked, both, listed)]
    for _ in range(60):
        (observations, infos, _), (_, told, _), (seen, lean, _) = looks
        ids, mask = lean["legal_actions"], infos["action_mask"]
        assert ids.dtype == np.int32 and "action_mask" not in lean and "action_mask" not in seen
        assert ids.shape == (3, mask.sum(axis=1).max())
        for own, marked in zip(ids, mask, strict=True):
            number = np.count_nonzero(marked)
            assert own[:number].tolist() == np.flatnonzero(marked).tolist()
            assert (own[number:] == -1).all()
        told_too = {key: told[key] for key in infos if not key.lstrip("_").startswith("final")}
        assert data_equivalence(told_too, {key: infos[key] for key in told_too})
        assert data_equivalence(told["legal_actions"], ids)
        assert data_equivalence({**seen, "action_mask": mask}, observations)
        if mode == DISABLED and over.any():
            options = {"reset_mask": over.copy()}
            looks = [(*env.reset(options=options), None) for env in (masked, both, listed)]
            over[:] = False
            continue
        actions = choose(mask, rng)
        looks = [
            (step[0], step[4], step[2])
            for step in (env.step(actions) for env in (masked, both, listed))
        ]
        over = looks[0][2].copy()
        ends += over.sum()
        if mode == SAME and over.any():
            final = looks[2][1]["final_info"]
            assert (final["legal_actions"][over, 0] == 0).all()
            assert "action_mask" not in looks[2][1]["final_obs"][np.argmax(over)]
    assert ends or variant[0] == "daihinmin"


@pytest.mark.parametrize("legal", ["list", "", 0, None, ["mask"], np.array(["mask", "ids"])])
def test_bad_way_to_tell_legal_actions(legal: Any) -> None:
    with pytest.raises(InputError, match="legal is mask, ids or both"):
        GameVectorEnv("leduc", 2, legal=legal)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", ["doudizhu", "uh_leduc"])
def test_episodes_are_summed_by_seat(name: str, mode: AutoresetMode) -> None:
    """Also of a game that pays in stages, and of one ended by an illegal action."""
    envs = GameVectorEnv(name, 4, reward="seats", autoreset_mode=mode)
    _, infos = envs.reset(seed=3)
    rng = np.random.default_rng(0)
    earned, steps, ended = np.zeros((4, envs.game.num_players)), np.zeros(4, int), 0
    ends = np.zeros(4, bool)
    for step in range(400):
        if mode == DISABLED and ends.any():
            _, infos = envs.reset(options={"reset_mask": ends})
        actions = choose(infos["action_mask"], rng)
        actions[3] = -1 if step == 5 else actions[3]
        _, rewards, ends, _, infos = envs.step(actions)
        earned += rewards
        steps += infos["actor"] >= 0
        assert infos["_episode"].tolist() == ends.tolist()
        for i in np.flatnonzero(ends):
            assert np.allclose(infos["episode"]["r"][i], earned[i])
            assert infos["episode"]["l"][i] == steps[i]
            earned[i], steps[i], ended = 0.0, 0, ended + 1
    assert ended > 8


@pytest.mark.parametrize("name", ["RecordEpisodeStatistics", "NormalizeReward"])
def test_wrappers_of_one_reward_are_refused_around_those_of_all_seats(name: str) -> None:
    import gymnasium.wrappers.vector as wrappers

    # As many games as seats, so that the arrays would fit.
    refused = GameVectorEnv("leduc", 2, reward="seats")
    for inner in (GameVectorEnv("leduc", 2, reward="actor"), SeatVectorEnv("leduc", 2), refused):
        envs = getattr(wrappers, name)(wrappers.ClipReward(inner, -9, 9))
        _, infos = envs.reset(seed=1)
        actions = infos["action_mask"].argmax(axis=1)
        if inner is not refused:
            envs.step(actions)
            continue
        with pytest.raises(InputError, match=f"^{name} takes one reward a game, but .*'episode'"):
            envs.step(actions)
