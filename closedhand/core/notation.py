"""Base of notations in which every action has one text."""

from functools import cached_property

from closedhand.core.game import InputError, State


class TableNotation:
    """Notation by a table; a subclass defines both attributes.

    Attributes:
        texts: Text of every action, by id.
        actions: Noun phrase for a valid text, in messages, such as `an action such as 5c5h`.
    """

    texts: tuple[str, ...] | cached_property[tuple[str, ...]]
    actions: str

    @cached_property
    def ids(self) -> dict[str, int]:
        """The id of every action by its text in capitals."""
        return {text.upper(): i for i, text in enumerate(self.texts)}

    def text(self, action: int, state: State | None = None) -> str:
        """Return the text of an action, the same in every state."""
        return self.texts[action]

    def parse(self, text: str, state: State | None = None) -> int:
        """Parse the text of an action to its id; spaces and case do not count.

        Raises:
            InputError: The text is not an action.
        """
        found = self.ids.get("".join(text.split()).upper())
        if found is None:
            raise InputError(f"{text!r} is not {self.actions}")
        return found
