---- MODULE ben_or ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F

ASSUME NbOfCorrProc = N - F
    /\ N >= 5 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1

VARIABLES ProcessesLocations, report0, report1, propose0, propose1, proposeNone

TypeOk ==
    /\ report0 \in Nat
    /\ report1 \in Nat
    /\ propose0 \in Nat
    /\ propose1 \in Nat
    /\ proposeNone \in Nat
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1", "locR", "locP", "locD0", "locD1", "locE0", "locE1", "locF", "locH0", "locH1"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1"}]
    /\ report0 = 0
    /\ report1 = 0
    /\ propose0 = 0
    /\ propose1 = 0
    /\ proposeNone = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locV0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR"]
    /\ report0' = report0 + 1
    /\ UNCHANGED <<report1, propose0, propose1, proposeNone>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locV1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR"]
    /\ report1' = report1 + 1
    /\ UNCHANGED <<report0, propose0, propose1, proposeNone>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locR"
    /\ (T + F + report0 + report1 >= N /\ 2 * F + 2 * report0 >= N + T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP"]
    /\ propose0' = propose0 + 1
    /\ UNCHANGED <<report0, report1, propose1, proposeNone>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locR"
    /\ (T + F + report0 + report1 >= N /\ 2 * F + 2 * report1 >= N + T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP"]
    /\ propose1' = propose1 + 1
    /\ UNCHANGED <<report0, report1, propose0, proposeNone>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locR"
    /\ (T + F + report0 + report1 >= N /\ 3 * T + 2 * F + 2 * report0 >= N /\ 3 * T + 2 * F + 2 * report1 >= N)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP"]
    /\ proposeNone' = proposeNone + 1
    /\ UNCHANGED <<report0, report1, propose0, propose1>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locP"
    /\ (T + F + propose0 + propose1 + proposeNone >= N /\ 2 * F + 2 * propose0 >= N + T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<report0, report1, propose0, propose1, proposeNone>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locP"
    /\ (T + F + propose0 + propose1 + proposeNone >= N /\ 2 * F + 2 * propose1 >= N + T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<report0, report1, propose0, propose1, proposeNone>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locP"
    /\ (T + F + propose0 + propose1 + proposeNone >= N /\ F + propose0 >= T + 1 /\ 3 * T + 2 * F + 2 * propose1 + 2 * proposeNone >= N)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE0"]
    /\ UNCHANGED <<report0, report1, propose0, propose1, proposeNone>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locP"
    /\ (T + F + propose0 + propose1 + proposeNone >= N /\ F + propose1 >= T + 1 /\ 3 * T + 2 * F + 2 * propose0 + 2 * proposeNone >= N)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE1"]
    /\ UNCHANGED <<report0, report1, propose0, propose1, proposeNone>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locP"
    /\ (T + F + propose0 + propose1 + proposeNone >= N /\ 2 * T + F + propose0 + proposeNone >= N /\ 2 * T + F + propose1 + proposeNone >= N)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF"]
    /\ UNCHANGED <<report0, report1, propose0, propose1, proposeNone>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locF"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locH0"]
    /\ UNCHANGED <<report0, report1, propose0, propose1, proposeNone>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locF"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locH1"]
    /\ UNCHANGED <<report0, report1, propose0, propose1, proposeNone>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, report0, report1, propose0, propose1, proposeNone>>

NumlocV0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV0"})
NumlocV1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV1"})
NumlocR == Cardinality({p \in Processes : ProcessesLocations[p] = "locR"})
NumlocP == Cardinality({p \in Processes : ProcessesLocations[p] = "locP"})
NumlocD0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD0"})
NumlocD1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD1"})
NumlocE0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE0"})
NumlocE1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE1"})
NumlocF == Cardinality({p \in Processes : ProcessesLocations[p] = "locF"})
NumlocH0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locH0"})
NumlocH1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locH1"})

lock0 == []((NumlocD0 = 0 \/ (NumlocD1 = 0 /\ NumlocE1 = 0 /\ NumlocH1 = 0)))

keep0 == (~(NumlocV1 = 0) \/ []((NumlocD1 = 0 /\ NumlocE1 = 0 /\ NumlocH1 = 0)))

finish0 == (~((NumlocV1 = 0 /\ <>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~((T + report0 + report1 >= N /\ 2 * report0 >= N + T + 1)) \/ NumlocR = 0) /\ (~((T + report0 + report1 >= N /\ 2 * report1 >= N + T + 1)) \/ NumlocR = 0) /\ (~((T + report0 + report1 >= N /\ 3 * T + 2 * report0 >= N /\ 3 * T + 2 * report1 >= N)) \/ NumlocR = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * propose0 >= N + T + 1)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * propose1 >= N + T + 1)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ propose0 >= T + 1 /\ 3 * T + 2 * propose1 + 2 * proposeNone >= N)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ propose1 >= T + 1 /\ 3 * T + 2 * propose0 + 2 * proposeNone >= N)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * T + propose0 + proposeNone >= N /\ 2 * T + propose1 + proposeNone >= N)) \/ NumlocP = 0) /\ NumlocF = 0 /\ NumlocF = 0))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocR = 0 /\ NumlocP = 0 /\ NumlocD1 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0 /\ NumlocF = 0 /\ NumlocH0 = 0 /\ NumlocH1 = 0)))

lock1 == []((NumlocD1 = 0 \/ (NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocH0 = 0)))

keep1 == (~(NumlocV0 = 0) \/ []((NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocH0 = 0)))

finish1 == (~((NumlocV0 = 0 /\ <>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~((T + report0 + report1 >= N /\ 2 * report0 >= N + T + 1)) \/ NumlocR = 0) /\ (~((T + report0 + report1 >= N /\ 2 * report1 >= N + T + 1)) \/ NumlocR = 0) /\ (~((T + report0 + report1 >= N /\ 3 * T + 2 * report0 >= N /\ 3 * T + 2 * report1 >= N)) \/ NumlocR = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * propose0 >= N + T + 1)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * propose1 >= N + T + 1)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ propose0 >= T + 1 /\ 3 * T + 2 * propose1 + 2 * proposeNone >= N)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ propose1 >= T + 1 /\ 3 * T + 2 * propose0 + 2 * proposeNone >= N)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * T + propose0 + proposeNone >= N /\ 2 * T + propose1 + proposeNone >= N)) \/ NumlocP = 0) /\ NumlocF = 0 /\ NumlocF = 0))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocR = 0 /\ NumlocP = 0 /\ NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0 /\ NumlocF = 0 /\ NumlocH0 = 0 /\ NumlocH1 = 0)))

round_ends == (~(<>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~((T + report0 + report1 >= N /\ 2 * report0 >= N + T + 1)) \/ NumlocR = 0) /\ (~((T + report0 + report1 >= N /\ 2 * report1 >= N + T + 1)) \/ NumlocR = 0) /\ (~((T + report0 + report1 >= N /\ 3 * T + 2 * report0 >= N /\ 3 * T + 2 * report1 >= N)) \/ NumlocR = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * propose0 >= N + T + 1)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * propose1 >= N + T + 1)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ propose0 >= T + 1 /\ 3 * T + 2 * propose1 + 2 * proposeNone >= N)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ propose1 >= T + 1 /\ 3 * T + 2 * propose0 + 2 * proposeNone >= N)) \/ NumlocP = 0) /\ (~((T + propose0 + propose1 + proposeNone >= N /\ 2 * T + propose0 + proposeNone >= N /\ 2 * T + propose1 + proposeNone >= N)) \/ NumlocP = 0) /\ NumlocF = 0 /\ NumlocF = 0)))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocR = 0 /\ NumlocP = 0 /\ NumlocF = 0)))

one_side == [](((NumlocD0 = 0 /\ NumlocE0 = 0) \/ (NumlocD1 = 0 /\ NumlocE1 = 0)))

====
