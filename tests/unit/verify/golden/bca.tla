---- MODULE bca ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F, COIN

ASSUME NbOfCorrProc = N - F
    /\ N >= 3 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1
    /\ COIN >= 0
    /\ 1 >= COIN

VARIABLES ProcessesLocations, bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B

TypeOk ==
    /\ bval0 \in Nat
    /\ bval1 \in Nat
    /\ echo2_0 \in Nat
    /\ echo2_1 \in Nat
    /\ echo3_0 \in Nat
    /\ echo3_1 \in Nat
    /\ echo3_B \in Nat
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1", "locM", "locA0", "locA1", "locX0", "locX1", "locXB", "locC0", "locC1", "locCB", "locD0", "locD1", "locE0", "locE1"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1"}]
    /\ bval0 = 0
    /\ bval1 = 0
    /\ echo2_0 = 0
    /\ echo2_1 = 0
    /\ echo3_0 = 0
    /\ echo3_1 = 0
    /\ echo3_B = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locV0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM"]
    /\ bval0' = bval0 + 1
    /\ UNCHANGED <<bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locV1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM"]
    /\ bval1' = bval1 + 1
    /\ UNCHANGED <<bval0, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locM"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locA0"]
    /\ echo2_0' = echo2_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locM"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locA1"]
    /\ echo2_1' = echo2_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo3_0, echo3_1, echo3_B>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locA0"
    /\ T + F + echo2_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX0"]
    /\ echo3_0' = echo3_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_1, echo3_B>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locA0"
    /\ T + F + echo2_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX0"]
    /\ echo3_1' = echo3_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_B>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locA0"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ echo3_B' = echo3_B + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locA1"
    /\ T + F + echo2_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX1"]
    /\ echo3_0' = echo3_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_1, echo3_B>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locA1"
    /\ T + F + echo2_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX1"]
    /\ echo3_1' = echo3_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_B>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locA1"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ echo3_B' = echo3_B + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locX0"
    /\ T + F + echo3_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locX1"
    /\ T + F + echo3_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule12(p) ==
    /\ ProcessesLocations[p] = "locX0"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule13(p) ==
    /\ ProcessesLocations[p] = "locX1"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule14(p) ==
    /\ ProcessesLocations[p] = "locXB"
    /\ T + F + echo3_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule15(p) ==
    /\ ProcessesLocations[p] = "locXB"
    /\ T + F + echo3_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule16(p) ==
    /\ ProcessesLocations[p] = "locXB"
    /\ T + F + echo3_0 + echo3_1 + echo3_B >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule17(p) ==
    /\ ProcessesLocations[p] = "locC0"
    /\ COIN = 0
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule18(p) ==
    /\ ProcessesLocations[p] = "locC0"
    /\ COIN = 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule19(p) ==
    /\ ProcessesLocations[p] = "locC1"
    /\ COIN = 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule20(p) ==
    /\ ProcessesLocations[p] = "locC1"
    /\ COIN = 0
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule21(p) ==
    /\ ProcessesLocations[p] = "locCB"
    /\ COIN = 0
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Rule22(p) ==
    /\ ProcessesLocations[p] = "locCB"
    /\ COIN = 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p) \/ Rule12(p) \/ Rule13(p) \/ Rule14(p) \/ Rule15(p) \/ Rule16(p) \/ Rule17(p) \/ Rule18(p) \/ Rule19(p) \/ Rule20(p) \/ Rule21(p) \/ Rule22(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B>>

NumlocV0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV0"})
NumlocV1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV1"})
NumlocM == Cardinality({p \in Processes : ProcessesLocations[p] = "locM"})
NumlocA0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locA0"})
NumlocA1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locA1"})
NumlocX0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locX0"})
NumlocX1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locX1"})
NumlocXB == Cardinality({p \in Processes : ProcessesLocations[p] = "locXB"})
NumlocC0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locC0"})
NumlocC1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locC1"})
NumlocCB == Cardinality({p \in Processes : ProcessesLocations[p] = "locCB"})
NumlocD0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD0"})
NumlocD1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD1"})
NumlocE0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE0"})
NumlocE1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE1"})

agreement == []((NumlocC0 = 0 \/ NumlocC1 = 0))

justification0 == (~(NumlocV0 = 0) \/ []((NumlocC0 = 0 /\ NumlocCB = 0)))

justification1 == (~(NumlocV1 = 0) \/ []((NumlocC1 = 0 /\ NumlocCB = 0)))

lock0 == []((NumlocD0 = 0 \/ (NumlocD1 = 0 /\ NumlocE1 = 0)))

keep0 == (~(NumlocV1 = 0) \/ []((NumlocD1 = 0 /\ NumlocE1 = 0)))

finish0 == (~((NumlocV1 = 0 /\ <>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA0 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA0 = 0) /\ (~(bval1 >= 1) \/ NumlocA0 = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA1 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA1 = 0) /\ (~(bval0 >= 1) \/ NumlocA1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocX0 = 0) /\ (~(T + echo3_1 >= N) \/ NumlocX1 = 0) /\ (~(bval1 >= 1) \/ NumlocX0 = 0) /\ (~(bval0 >= 1) \/ NumlocX1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_1 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_0 + echo3_1 + echo3_B >= N) \/ NumlocXB = 0) /\ (~(COIN = 0) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocCB = 0) /\ (~(COIN = 1) \/ NumlocCB = 0)))) /\ COIN = 0)) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocA0 = 0 /\ NumlocA1 = 0 /\ NumlocX0 = 0 /\ NumlocX1 = 0 /\ NumlocXB = 0 /\ NumlocC0 = 0 /\ NumlocC1 = 0 /\ NumlocCB = 0 /\ NumlocD1 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0)))

lock1 == []((NumlocD1 = 0 \/ (NumlocD0 = 0 /\ NumlocE0 = 0)))

keep1 == (~(NumlocV0 = 0) \/ []((NumlocD0 = 0 /\ NumlocE0 = 0)))

finish1 == (~((NumlocV0 = 0 /\ <>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA0 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA0 = 0) /\ (~(bval1 >= 1) \/ NumlocA0 = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA1 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA1 = 0) /\ (~(bval0 >= 1) \/ NumlocA1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocX0 = 0) /\ (~(T + echo3_1 >= N) \/ NumlocX1 = 0) /\ (~(bval1 >= 1) \/ NumlocX0 = 0) /\ (~(bval0 >= 1) \/ NumlocX1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_1 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_0 + echo3_1 + echo3_B >= N) \/ NumlocXB = 0) /\ (~(COIN = 0) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocCB = 0) /\ (~(COIN = 1) \/ NumlocCB = 0)))) /\ COIN = 1)) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocA0 = 0 /\ NumlocA1 = 0 /\ NumlocX0 = 0 /\ NumlocX1 = 0 /\ NumlocXB = 0 /\ NumlocC0 = 0 /\ NumlocC1 = 0 /\ NumlocCB = 0 /\ NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0)))

round_ends == (~(<>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA0 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA0 = 0) /\ (~(bval1 >= 1) \/ NumlocA0 = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA1 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA1 = 0) /\ (~(bval0 >= 1) \/ NumlocA1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocX0 = 0) /\ (~(T + echo3_1 >= N) \/ NumlocX1 = 0) /\ (~(bval1 >= 1) \/ NumlocX0 = 0) /\ (~(bval0 >= 1) \/ NumlocX1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_1 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_0 + echo3_1 + echo3_B >= N) \/ NumlocXB = 0) /\ (~(COIN = 0) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocCB = 0) /\ (~(COIN = 1) \/ NumlocCB = 0))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocA0 = 0 /\ NumlocA1 = 0 /\ NumlocX0 = 0 /\ NumlocX1 = 0 /\ NumlocXB = 0 /\ NumlocC0 = 0 /\ NumlocC1 = 0 /\ NumlocCB = 0)))

\* binding speaks of two futures of one prefix: no formula here says it

====
