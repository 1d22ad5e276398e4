"""Nodes that follow the rules of LiveModel.v, for the runs of gen_live.py. Nothing depends on this program: Coq judges the runs
that come out of it. A block is named author.round, with ' for a twin.
"""

class Block:
    def __init__(self, author, round_, own=None, vote=None, claim=None, parents=()):
        self.author, self.round, self.own, self.vote, self.claim = author, round_, own, vote, claim
        self.parents = list(parents)

    def edges(self):
        return [e for e in [self.own, self.vote, self.claim] if e] + self.parents


class Run:
    """One scenario: nodes that follow the rules, until `end`. Everything that a subclass overrides is a lie or a fault."""
    name, about, law = "", "", None      # law: the one that does not hold
    n, liars = 4, {3}
    votes = commit = parents_min = completes = 3
    amplify = 2
    delta, ask, prove, fetch, owed = 2, 2, 2, 1, 0
    patience, longest = 8, 8
    slot, end = 2, 60
    out = set()
    leads = {1: 0, 2: 2, 3: 0, 4: 1}

    # --- what a scenario may change
    def leader(self, node, round_):
        return self.leads.get(round_, 0)

    def wait(self, node, round_):
        return self.patience

    def delay(self, author, node, round_):
        """Of a push; None: it is lost."""
        return 0 if author == node else 1

    def script(self):
        """What liars say: (time, name, block, {node: time})."""
        return []

    def sign(self, node, block):
        """The block that a correct node signs instead."""
        return block

    def may_leave(self, node, round_, allowed):
        return allowed

    def takes(self, node, name):
        return True

    def next_round(self, node, round_):
        return round_ + 1

    def last(self, node):
        return self.slot + 2

    def floors(self):
        return []                        # (time, node, floor)

    # --- the world
    def __init__(self):
        self.blocks, self.events, self.now = {}, [], 0
        self.held = {x: [] for x in range(self.n)}
        self.acc = {x: [] for x in range(self.n)}
        self.floor = {x: 0 for x in range(self.n)}
        self.own = {x: [] for x in range(self.n)}
        self.since, self.mail, self.asked = {}, [], set()
        self.good = [x for x in range(self.n) if x not in self.liars]
        for self.now in range(self.end + 1):
            self.instant()

    def log(self, *event):
        self.events.append((self.now, event))

    def authors(self, names, test):
        return {self.blocks[b].author for b in names if test(self.blocks[b])}

    def evidence(self, node, name):
        r = self.blocks[name].round
        has = self.held[node]
        return (len(self.authors(has, lambda b: b.round == r + 1 and b.vote == name)) >= self.votes or
                len(self.authors(has, lambda b: b.round == r + 2 and b.claim == name)) >= self.amplify)

    def settled(self, node, name):
        return name in self.acc[node] or self.blocks[name].round <= self.floor[node]

    def acceptable(self, node, name):
        b = self.blocks[name]
        if not all(self.settled(node, e) for e in b.edges()):
            return False
        return not b.claim or self.blocks[b.claim].round <= self.floor[node] or self.evidence(node, b.claim)

    def counts(self, node, round_):
        return self.authors(self.acc[node], lambda b: b.round == round_ and b.author not in self.out)

    def complete(self, node, k):
        return k == 0 or len(self.counts(node, k)) >= self.completes

    def dense(self, name):
        b = self.blocks[name]
        return len(self.authors(b.parents, lambda p: p.round + 1 == b.round)) >= self.parents_min

    def led(self, node, k):
        for name in self.acc[node]:
            b = self.blocks[name]
            if b.round == k and b.author == self.leader(node, k) and (k <= 1 or self.dense(name)):
                return name
        return None

    def seen_exit(self, node, k):
        if not self.led(node, k):
            return False
        if k <= 1:
            return True
        slot = [x for x in self.blocks if self.blocks[x].round == k - 1]
        if any(self.evidence(node, x) for x in slot):
            return True
        here = len(self.authors(self.acc[node], lambda b: b.round == k))
        return all(len(self.authors(self.held[node], lambda b: b.round == k and b.vote == x)) + self.n < self.votes + here
                   for x in slot)

    def allowed(self, node, k):
        if k == 0:
            return True
        if not self.complete(node, k):
            return False
        first = self.since.setdefault((node, k), self.now)
        left = self.authors(self.acc[node], lambda b: b.round == k + 1)
        return len(left) > len(self.liars) or self.now >= first + self.wait(node, k) or self.seen_exit(node, k)

    def compose(self, node, r):
        b = Block(node, r, self.own[node][-1] if self.own[node] else None)
        b.vote = self.led(node, r - 1) if r >= 2 else None
        for x in self.acc[node]:
            if self.blocks[x].round == r - 2 and self.evidence(node, x):
                b.claim = x
        if r >= 2 and self.leader(node, r) == node:
            b.parents = [x for x in self.acc[node] if self.blocks[x].round == r - 1 and self.blocks[x].author not in self.out]
        return self.sign(node, b)

    def publish(self, name, block, whom):
        self.blocks[name] = block
        self.mail += [(t, x, name) for x, t in whom.items() if t is not None]

    def deliver(self, node, name):
        if name not in self.held[node]:
            self.held[node].append(name)
            self.log("ERecv", node, name)

    def accept(self, node):
        for name in list(self.held[node]):
            if name not in self.acc[node] and self.acceptable(node, name) and self.takes(node, name):
                self.acc[node].append(name)
                self.log("EAccept", node, name)
                return True
        return False

    def advance(self, node):
        k = self.blocks[self.own[node][-1]].round if self.own[node] else 0
        if k >= self.last(node) or not self.may_leave(node, k, self.allowed(node, k)):
            return False
        r = self.next_round(node, k)
        block = self.compose(node, r)
        name = f"{node}.{r}"
        self.log("ESign", name)
        late = {x: self.delay(node, x, r) for x in self.good}
        self.publish(name, block, {x: None if d is None else self.now + d for x, d in late.items() if x != node})
        self.own[node].append(name)
        self.deliver(node, name)
        return True

    def instant(self):
        for t, node, k in self.floors():
            if t == self.now:
                self.floor[node] = max(k, self.floor[node])
                self.log("EFloor", node, k)
        for t, name, block, whom in self.script():
            if t == self.now:
                self.publish(name, block, whom)
                self.log("EByz", name)
        moved = True
        while moved:
            moved = False
            for t, node, name in [one for one in self.mail if one[0] <= self.now]:
                self.mail.remove((t, node, name))
                self.deliver(node, name)
                moved = True
            for node in self.good:
                while self.accept(node):
                    moved = True
                moved |= self.advance(node)
        self.questions()

    def question(self, key, within, node, names):
        if key not in self.asked:
            self.asked.add(key)
            self.mail += [(self.now + within, node, x) for x in names if x not in self.held[node]]

    def questions(self):
        for x in self.good:
            for p in self.good:
                for name in [b for b in self.held[x] if b in self.acc[p] and b not in self.acc[x]]:
                    b = self.blocks[name]
                    for e in b.edges():
                        if e in self.acc[p] and not self.settled(x, e) and e not in self.held[x]:
                            self.question(("ask", x, e), self.ask, x, self.answer(x, "ask", [e]))
                    if b.claim and all(self.settled(x, e) for e in b.edges()) and not self.evidence(x, b.claim):
                        proof = [y for y in self.held[p] if b.claim in (self.blocks[y].vote, self.blocks[y].claim)]
                        self.question(("prove", x, b.claim), self.prove, x, self.answer(x, "prove", proof))
                self.rounds(x, p)

    def rounds(self, x, p):
        k = len(self.own[x])
        ahead = self.authors(self.held[x], lambda b: b.round > k)
        if p in ahead and len(ahead) > len(self.liars):
            for name in [b for b in self.acc[p] if self.blocks[b].round >= k]:
                self.question(("fetch", x, name), self.fetch, x, self.answer(x, "fetch", [name]))

    def answer(self, node, kind, names):
        return names
