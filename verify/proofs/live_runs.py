"""The runs of LiveTeeth.v: one that keeps all laws of LiveModel.v, then for each law one that keeps all others."""
from live_world import Block, Run

class Good(Run):
    name, about = "good", "all laws hold: the liar is silent, the slot commits"


class Live(Run):
    name, law, about = "live", "live", "a commit asks for all four, so the silent liar prevents it"
    commit = 4


class Complete(Run):
    name, law, about = "complete", "complete", "two blocks complete a round, so the leader's block is not dense"
    completes = 2

    def delay(self, author, node, round_):
        return 0 if author == node else 2 if (author, node) == (1, 2) else 1


class Patience(Run):
    name, law = "patience", "patience"
    about = """T is 6 Delta (12), and two questions of 2.5 Delta (5) one after the other make the leader's block 7 Delta late: 2 needs the
   evidence for the claim of 0.3 before it may follow, and its own block names 3.1', which the liar showed to it alone"""
    ask = prove = fetch = owed = 5
    patience = longest = 12
    slot, end = 3, 120
    leads = {1: 1, 2: 3, 3: 2, 4: 0, 5: 0}

    def wait(self, node, round_):
        return 0 if (node, round_) in {(2, 1), (0, 2), (1, 2)} else 12

    def delay(self, author, node, round_):
        if author == node:
            return 0
        return 2 if (author, node, round_) == (1, 2, 1) or (round_ >= 3 and 2 in (author, node)) else 1

    def script(self):
        return [(0, "3.1'", Block(3, 1), {2: 0}),
                (1, "3.2", Block(3, 2, vote="1.1"), {0: 2}),
                (2, "3.3", Block(3, 3, own="3.2"), {0: 2, 1: 2})]

    def sign(self, node, block):
        if (node, block.round) == (2, 3):
            block.parents.append("3.1'")
        return block


class Wait(Run):
    name, law, about = "wait", "wait", "0 does not wait for the leader"

    def wait(self, node, round_):
        return 0 if (node, round_) == (0, 2) else 8

    def delay(self, author, node, round_):
        return 0 if author == node else 2 if (author, round_) == (2, 2) else 1

    def script(self):
        return [(1, "3.2", Block(3, 2), {0: 2, 1: 2, 2: 2})]


class WaitNext(Run):
    name, law = "wait_next", "wait"
    about = """0 waits for the leader of the slot and not for that of the next round, as the program does when it has not heard of
   that one: it leaves before the last vote for the slot is here, and so does not claim"""

    def wait(self, node, round_):
        return 0 if (node, round_) == (0, 3) else 8

    def delay(self, author, node, round_):
        return 0 if author == node else 2 if (author, node, round_) == (2, 0, 3) else 1

    def script(self):
        return [(2, "3.3", Block(3, 3), {0: 3, 1: 3, 2: 3})]


class Same(Run):
    name, law, about = "same", "same", "0 takes another for the leader"

    def leader(self, node, round_):
        return 1 if (node, round_) == (0, 2) else self.leads.get(round_, 0)


class Honest(Run):
    name, law, about = "honest", "honest", "a correct node counts as proven to equivocate, and the liar falls silent"
    out = {0}

    def script(self):
        return [(0, "3.1", Block(3, 1), {0: 1, 1: 1, 2: 1})]


class Order(Run):
    name, law, about = "order", "order", "0 jumps from round 3 to round 5, and its claim is lost"
    leads = {1: 0, 2: 2, 3: 2, 4: 1, 5: 1}

    def last(self, node):
        return {0: 5, 1: 5}.get(node, 4)

    def delay(self, author, node, round_):
        if round_ <= 3:
            return 0 if author == node or {author, node} == {1, 2} else 1
        return 2 if 0 in (author, node) and author != node else 0

    def script(self):
        return [(2, "3.3", Block(3, 3), {0: 3, 1: 3, 2: 3}),
                (3, "3.4", Block(3, 4, own="3.3", vote="2.3"), {0: 5, 1: 3, 2: 3}),
                (3, "3.5", Block(3, 5, own="3.4"), {0: 5})]

    def may_leave(self, node, round_, allowed):
        if node == 0 and round_ == 3:
            return allowed and self.complete(0, 4)
        return allowed

    def next_round(self, node, round_):
        return 5 if (node, round_) == (0, 3) else round_ + 1


class Leave(Run):
    name, law, about = "leave", "leave", "0 leaves the slot's round as soon as it is complete"

    def delay(self, author, node, round_):
        return Wait.delay(self, author, node, round_)

    def script(self):
        return Wait.script(self)

    def may_leave(self, node, round_, allowed):
        return allowed or ((node, round_) == (0, 2) and self.complete(0, 2))


class Vote(Run):
    name, law, about = "vote", "vote", "0 does not vote for the leader's block that it accepted"

    def sign(self, node, block):
        if (node, block.round) == (0, 3):
            block.vote = None
        return block


class Claim(Run):
    name, law, about = "claim", "claim", "0 does not claim what it has evidence for"

    def sign(self, node, block):
        if (node, block.round) == (0, 4):
            block.claim = None
        return block


class Dense(Run):
    name, law, about = "dense", "dense", "the leader names two of three blocks"

    def sign(self, node, block):
        if (node, block.round) == (2, 2):
            block.parents = block.parents[:2]
        return block


class Accept(Run):
    name, law, about = "accept", "accept", "0 holds the leader's block and never accepts it"

    def takes(self, node, name):
        return (node, name) != (0, "2.2")


class Move(Run):
    name, law, about = "move", "move", "0 stays in the round of the votes, whatever time it is"

    def may_leave(self, node, round_, allowed):
        return allowed and (node, round_) != (0, 3)


class Floor(Run):
    name, law = "floor", "floor"
    about = """0 collects the slot while it is in the next round: it accepts 1.4 without evidence and goes on without a claim"""
    amplify = 3
    leads = {1: 0, 2: 2, 3: 0, 4: 2}

    def floors(self):
        return [(2, 0, 2)]

    def delay(self, author, node, round_):
        if round_ < 3:
            return 0 if author == node else 1
        return 2 if (author, node) == (2, 0) else 0

    def script(self):
        return [(2, "3.3", Block(3, 3), {0: 2, 1: 2, 2: 2}), (2, "3.4", Block(3, 4, own="3.3"), {0: 2})]


class PushLost(Run):
    name, law, about = "push", "push", "what 0 sends from its vote on is lost"

    def delay(self, author, node, round_):
        return 0 if author == node else None if author == 0 and round_ >= 3 else 1


class Kept(Run):
    name, law = "kept", "kept"
    about = """2's floor is 1, so it accepts and names 3.2, which stands on a block of round 1 that nobody was shown; the floors of
   the others are lower (decision 025)"""
    slot, owed, patience, longest, end = 4, 4, 16, 16, 120
    leads = {1: 0, 2: 0, 3: 0, 4: 2, 5: 0, 6: 0}

    def floors(self):
        return [(3, 2, 1)]

    def script(self):
        return [(0, "3.1", Block(3, 1), {}), (1, "3.2", Block(3, 2, own="3.1"), {2: 2})]

    def sign(self, node, block):
        if (node, block.round) == (2, 4):
            block.parents.append("3.2")
        return block


class Ask(Run):
    name, law, about = "ask", "ask", "the leader names a block of the liar that it alone was shown, and 0 gets no answer"
    owed, patience, longest = 2, 10, 10

    def script(self):
        return [(0, "3.1", Block(3, 1), {2: 0})]

    def answer(self, node, kind, names):
        return [] if (node, kind) == (0, "ask") else names


class Prove(Run):
    name, law = "prove", "prove"
    about = """the leader's block claims 1.1, certified by a vote that the liar showed to the leader alone, and 0 gets no answer"""
    slot, owed, patience, longest, end = 3, 2, 10, 10, 120
    leads = {1: 1, 2: 0, 3: 2, 4: 0, 5: 0}

    def wait(self, node, round_):
        return 0 if round_ <= 2 and node != 2 else 10

    def delay(self, author, node, round_):
        return 0 if author == node else 2 if (author, node, round_) == (1, 0, 1) else 1

    def script(self):
        return [(0, "3.1", Block(3, 1), {0: 1}),
                (1, "3.2'", Block(3, 2), {0: 2, 1: 2, 2: 2}),
                (1, "3.2", Block(3, 2, vote="1.1"), {2: 2})]

    def sign(self, node, block):
        if (node, block.round) == (2, 3):
            block.parents = [x for x in block.parents if x != "3.2"]
        return block

    def answer(self, node, kind, names):
        return [] if (node, kind) == (0, "prove") else names


class Owed(Run):
    name, law, about = "owed", "owed", "the leader names a block that the liar hid, and to ask for it takes longer than was reckoned with"
    ask = 12

    def script(self):
        return [(0, "3.1", Block(3, 1), {2: 0}), (1, "3.2", Block(3, 2), {0: 2, 1: 2, 2: 2})]


class Fetch(Run):
    name, law = "fetch", "fetch"
    about = """seven nodes, two liars: 0, 1, 2 and the liars are in round 3 at once; 3 and the leader 4 are not told the liars' blocks and
   go on by each other's, a round for each Delta"""
    n, liars = 7, {5, 6}
    votes = commit = parents_min = completes = 5
    amplify = 3
    delta, fetch, patience, longest = 3, 1, 8, 8
    slot = 3
    leads = {1: 0, 2: 5, 3: 4, 4: 6, 5: 5}

    def delay(self, author, node, round_):
        return 0 if author == node or max(author, node) <= 2 else 3

    def script(self):
        return [(0, f"{liar}.{r}", Block(liar, r, own=f"{liar}.{r - 1}" if r > 1 else None), {0: 0, 1: 0, 2: 0})
                for r in range(1, 4) for liar in (5, 6)]

    def wait(self, node, round_):
        return 0 if round_ < 3 and node <= 2 else 8

    def answer(self, node, kind, names):
        return [] if kind == "fetch" else names


RUNS = [Good, Live, Complete, Patience, Wait, WaitNext, Same, Honest, Order, Leave, Vote, Claim, Dense, Accept, Move, Floor,
        PushLost, Kept, Ask, Prove, Owed, Fetch]
