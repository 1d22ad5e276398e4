---- MODULE bv_broadcast ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F

ASSUME NbOfCorrProc = N - F
    /\ N >= 3 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1

VARIABLES ProcessesLocations, bval0, bval1

TypeOk ==
    /\ bval0 \in Nat
    /\ bval1 \in Nat
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1", "locB0", "locB1", "locB01", "locC0", "locC1", "locCB0", "locCB1", "locC01"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1"}]
    /\ bval0 = 0
    /\ bval1 = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locV0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locB0"]
    /\ bval0' = bval0 + 1
    /\ UNCHANGED <<bval1>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locB0"
    /\ F + bval1 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locB01"]
    /\ bval1' = bval1 + 1
    /\ UNCHANGED <<bval0>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locB0"
    /\ F + bval0 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC0"]
    /\ UNCHANGED <<bval0, bval1>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locC0"
    /\ F + bval1 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB0"]
    /\ bval1' = bval1 + 1
    /\ UNCHANGED <<bval0>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locB01"
    /\ F + bval0 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB0"]
    /\ UNCHANGED <<bval0, bval1>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locCB0"
    /\ F + bval1 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC01"]
    /\ UNCHANGED <<bval0, bval1>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locV1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locB1"]
    /\ bval1' = bval1 + 1
    /\ UNCHANGED <<bval0>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locB1"
    /\ F + bval0 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locB01"]
    /\ bval0' = bval0 + 1
    /\ UNCHANGED <<bval1>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locB1"
    /\ F + bval1 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC1"]
    /\ UNCHANGED <<bval0, bval1>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locC1"
    /\ F + bval0 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB1"]
    /\ bval0' = bval0 + 1
    /\ UNCHANGED <<bval1>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locB01"
    /\ F + bval1 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB1"]
    /\ UNCHANGED <<bval0, bval1>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locCB1"
    /\ F + bval0 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC01"]
    /\ UNCHANGED <<bval0, bval1>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, bval0, bval1>>

NumlocV0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV0"})
NumlocV1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV1"})
NumlocB0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locB0"})
NumlocB1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locB1"})
NumlocB01 == Cardinality({p \in Processes : ProcessesLocations[p] = "locB01"})
NumlocC0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locC0"})
NumlocC1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locC1"})
NumlocCB0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locCB0"})
NumlocCB1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locCB1"})
NumlocC01 == Cardinality({p \in Processes : ProcessesLocations[p] = "locC01"})

justification0 == (~(NumlocV0 = 0) \/ []((NumlocC0 = 0 /\ NumlocCB0 = 0 /\ NumlocC01 = 0)))

obligation0 == (~((NumlocV0 >= T + 1 /\ <>([]((NumlocV0 = 0 /\ (~(bval1 >= T + 1) \/ NumlocB0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB0 = 0) /\ (~(bval1 >= T + 1) \/ NumlocC0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocCB0 = 0) /\ NumlocV1 = 0 /\ (~(bval0 >= T + 1) \/ NumlocB1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB1 = 0) /\ (~(bval0 >= T + 1) \/ NumlocC1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocCB1 = 0)))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocB0 = 0 /\ NumlocB1 = 0 /\ NumlocB01 = 0 /\ NumlocC1 = 0 /\ NumlocCB1 = 0)))

uniformity0 == (~(<>([]((NumlocV0 = 0 /\ (~(bval1 >= T + 1) \/ NumlocB0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB0 = 0) /\ (~(bval1 >= T + 1) \/ NumlocC0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocCB0 = 0) /\ NumlocV1 = 0 /\ (~(bval0 >= T + 1) \/ NumlocB1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB1 = 0) /\ (~(bval0 >= T + 1) \/ NumlocC1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocCB1 = 0))))) \/ [](((NumlocC0 = 0 /\ NumlocCB0 = 0 /\ NumlocC01 = 0) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocB0 = 0 /\ NumlocB1 = 0 /\ NumlocB01 = 0 /\ NumlocC1 = 0 /\ NumlocCB1 = 0)))))

justification1 == (~(NumlocV1 = 0) \/ []((NumlocC1 = 0 /\ NumlocCB1 = 0 /\ NumlocC01 = 0)))

obligation1 == (~((NumlocV1 >= T + 1 /\ <>([]((NumlocV0 = 0 /\ (~(bval1 >= T + 1) \/ NumlocB0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB0 = 0) /\ (~(bval1 >= T + 1) \/ NumlocC0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocCB0 = 0) /\ NumlocV1 = 0 /\ (~(bval0 >= T + 1) \/ NumlocB1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB1 = 0) /\ (~(bval0 >= T + 1) \/ NumlocC1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocCB1 = 0)))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocB0 = 0 /\ NumlocB1 = 0 /\ NumlocB01 = 0 /\ NumlocC0 = 0 /\ NumlocCB0 = 0)))

uniformity1 == (~(<>([]((NumlocV0 = 0 /\ (~(bval1 >= T + 1) \/ NumlocB0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB0 = 0) /\ (~(bval1 >= T + 1) \/ NumlocC0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocCB0 = 0) /\ NumlocV1 = 0 /\ (~(bval0 >= T + 1) \/ NumlocB1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB1 = 0) /\ (~(bval0 >= T + 1) \/ NumlocC1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocCB1 = 0))))) \/ [](((NumlocC1 = 0 /\ NumlocCB1 = 0 /\ NumlocC01 = 0) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocB0 = 0 /\ NumlocB1 = 0 /\ NumlocB01 = 0 /\ NumlocC0 = 0 /\ NumlocCB0 = 0)))))

termination == (~(<>([]((NumlocV0 = 0 /\ (~(bval1 >= T + 1) \/ NumlocB0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB0 = 0) /\ (~(bval1 >= T + 1) \/ NumlocC0 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocCB0 = 0) /\ NumlocV1 = 0 /\ (~(bval0 >= T + 1) \/ NumlocB1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB1 = 0) /\ (~(bval0 >= T + 1) \/ NumlocC1 = 0) /\ (~(bval1 >= 2 * T + 1) \/ NumlocB01 = 0) /\ (~(bval0 >= 2 * T + 1) \/ NumlocCB1 = 0))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocB0 = 0 /\ NumlocB1 = 0 /\ NumlocB01 = 0)))

====
