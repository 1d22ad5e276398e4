---- MODULE bracha ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F

ASSUME NbOfCorrProc = N - F
    /\ N >= 3 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1

VARIABLES ProcessesLocations, echo0, echo1, ready0, ready1

TypeOk ==
    /\ echo0 \in Nat
    /\ echo1 \in Nat
    /\ ready0 \in Nat
    /\ ready1 \in Nat
    /\ ProcessesLocations \in [Processes -> {"locS0", "locS1", "locE0", "locE1", "locN00", "locN01", "locN10", "locN11", "locR0", "locR1", "locD0", "locD1"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locS0", "locS1"}]
    /\ echo0 = 0
    /\ echo1 = 0
    /\ ready0 = 0
    /\ ready1 = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE0"]
    /\ echo0' = echo0 + 1
    /\ UNCHANGED <<echo1, ready0, ready1>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE1"]
    /\ echo1' = echo1 + 1
    /\ UNCHANGED <<echo0, ready0, ready1>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locE0"
    /\ 2 * F + 2 * echo0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR0"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locE0"
    /\ 2 * F + 2 * echo1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR1"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locE1"
    /\ 2 * F + 2 * echo0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR0"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locE1"
    /\ 2 * F + 2 * echo1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR1"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locE0"
    /\ F + ready0 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR0"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locE0"
    /\ F + ready1 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR1"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locE1"
    /\ F + ready0 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR0"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locE1"
    /\ F + ready1 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR1"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ 2 * F + 2 * echo0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN00"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ 2 * F + 2 * echo1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN01"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule12(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ 2 * F + 2 * echo0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN10"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule13(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ 2 * F + 2 * echo1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN11"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule14(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ F + ready0 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN00"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule15(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ F + ready1 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN01"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule16(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ F + ready0 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN10"]
    /\ ready0' = ready0 + 1
    /\ UNCHANGED <<echo0, echo1, ready1>>

Rule17(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ F + ready1 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN11"]
    /\ ready1' = ready1 + 1
    /\ UNCHANGED <<echo0, echo1, ready0>>

Rule18(p) ==
    /\ ProcessesLocations[p] = "locN00"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR0"]
    /\ echo0' = echo0 + 1
    /\ UNCHANGED <<echo1, ready0, ready1>>

Rule19(p) ==
    /\ ProcessesLocations[p] = "locN01"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR1"]
    /\ echo0' = echo0 + 1
    /\ UNCHANGED <<echo1, ready0, ready1>>

Rule20(p) ==
    /\ ProcessesLocations[p] = "locN10"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR0"]
    /\ echo1' = echo1 + 1
    /\ UNCHANGED <<echo0, ready0, ready1>>

Rule21(p) ==
    /\ ProcessesLocations[p] = "locN11"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locR1"]
    /\ echo1' = echo1 + 1
    /\ UNCHANGED <<echo0, ready0, ready1>>

Rule22(p) ==
    /\ ProcessesLocations[p] = "locR0"
    /\ F + ready0 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule23(p) ==
    /\ ProcessesLocations[p] = "locR1"
    /\ F + ready1 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule24(p) ==
    /\ ProcessesLocations[p] = "locN00"
    /\ F + ready0 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule25(p) ==
    /\ ProcessesLocations[p] = "locN01"
    /\ F + ready1 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule26(p) ==
    /\ ProcessesLocations[p] = "locN10"
    /\ F + ready0 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule27(p) ==
    /\ ProcessesLocations[p] = "locN11"
    /\ F + ready1 >= 2 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule28(p) ==
    /\ ProcessesLocations[p] = "locR0"
    /\ 2 * F + 2 * echo0 >= N + 3 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule29(p) ==
    /\ ProcessesLocations[p] = "locR1"
    /\ 2 * F + 2 * echo1 >= N + 3 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule30(p) ==
    /\ ProcessesLocations[p] = "locN00"
    /\ 2 * F + 2 * echo0 >= N + 3 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule31(p) ==
    /\ ProcessesLocations[p] = "locN01"
    /\ 2 * F + 2 * echo1 >= N + 3 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule32(p) ==
    /\ ProcessesLocations[p] = "locN10"
    /\ 2 * F + 2 * echo0 >= N + 3 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Rule33(p) ==
    /\ ProcessesLocations[p] = "locN11"
    /\ 2 * F + 2 * echo1 >= N + 3 * T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<echo0, echo1, ready0, ready1>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p) \/ Rule12(p) \/ Rule13(p) \/ Rule14(p) \/ Rule15(p) \/ Rule16(p) \/ Rule17(p) \/ Rule18(p) \/ Rule19(p) \/ Rule20(p) \/ Rule21(p) \/ Rule22(p) \/ Rule23(p) \/ Rule24(p) \/ Rule25(p) \/ Rule26(p) \/ Rule27(p) \/ Rule28(p) \/ Rule29(p) \/ Rule30(p) \/ Rule31(p) \/ Rule32(p) \/ Rule33(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, echo0, echo1, ready0, ready1>>

NumlocS0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locS0"})
NumlocS1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locS1"})
NumlocE0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE0"})
NumlocE1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE1"})
NumlocN00 == Cardinality({p \in Processes : ProcessesLocations[p] = "locN00"})
NumlocN01 == Cardinality({p \in Processes : ProcessesLocations[p] = "locN01"})
NumlocN10 == Cardinality({p \in Processes : ProcessesLocations[p] = "locN10"})
NumlocN11 == Cardinality({p \in Processes : ProcessesLocations[p] = "locN11"})
NumlocR0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locR0"})
NumlocR1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locR1"})
NumlocD0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD0"})
NumlocD1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD1"})

agreement == []((NumlocD0 = 0 \/ NumlocD1 = 0))

unforgeability0 == (~(NumlocS0 = 0) \/ [](NumlocD0 = 0))

unforgeability1 == (~(NumlocS1 = 0) \/ [](NumlocD1 = 0))

totality == (~(<>([](((~(2 * echo0 >= N + T + 1) \/ NumlocE0 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocE0 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocE1 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocE1 = 0) /\ (~(ready0 >= T + 1) \/ NumlocE0 = 0) /\ (~(ready1 >= T + 1) \/ NumlocE0 = 0) /\ (~(ready0 >= T + 1) \/ NumlocE1 = 0) /\ (~(ready1 >= T + 1) \/ NumlocE1 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocS0 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocS0 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocS1 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocS1 = 0) /\ (~(ready0 >= T + 1) \/ NumlocS0 = 0) /\ (~(ready1 >= T + 1) \/ NumlocS0 = 0) /\ (~(ready0 >= T + 1) \/ NumlocS1 = 0) /\ (~(ready1 >= T + 1) \/ NumlocS1 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocR0 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocR1 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocN00 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocN01 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocN10 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocN11 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocR0 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocR1 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocN00 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocN01 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocN10 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocN11 = 0))))) \/ []((~(NumlocD0 + NumlocD1 >= 1) \/ <>((NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0 /\ NumlocN00 = 0 /\ NumlocN01 = 0 /\ NumlocN10 = 0 /\ NumlocN11 = 0 /\ NumlocR0 = 0 /\ NumlocR1 = 0)))))

validity0 == (~((NumlocS1 = 0 /\ <>([](((~(2 * echo0 >= N + T + 1) \/ NumlocE0 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocE0 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocE1 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocE1 = 0) /\ (~(ready0 >= T + 1) \/ NumlocE0 = 0) /\ (~(ready1 >= T + 1) \/ NumlocE0 = 0) /\ (~(ready0 >= T + 1) \/ NumlocE1 = 0) /\ (~(ready1 >= T + 1) \/ NumlocE1 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocS0 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocS0 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocS1 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocS1 = 0) /\ (~(ready0 >= T + 1) \/ NumlocS0 = 0) /\ (~(ready1 >= T + 1) \/ NumlocS0 = 0) /\ (~(ready0 >= T + 1) \/ NumlocS1 = 0) /\ (~(ready1 >= T + 1) \/ NumlocS1 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocR0 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocR1 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocN00 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocN01 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocN10 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocN11 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocR0 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocR1 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocN00 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocN01 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocN10 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocN11 = 0) /\ NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocN00 = 0 /\ NumlocN01 = 0 /\ NumlocN10 = 0 /\ NumlocN11 = 0))))) \/ <>((NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0 /\ NumlocN00 = 0 /\ NumlocN01 = 0 /\ NumlocN10 = 0 /\ NumlocN11 = 0 /\ NumlocR0 = 0 /\ NumlocR1 = 0 /\ NumlocD1 = 0)))

validity1 == (~((NumlocS0 = 0 /\ <>([](((~(2 * echo0 >= N + T + 1) \/ NumlocE0 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocE0 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocE1 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocE1 = 0) /\ (~(ready0 >= T + 1) \/ NumlocE0 = 0) /\ (~(ready1 >= T + 1) \/ NumlocE0 = 0) /\ (~(ready0 >= T + 1) \/ NumlocE1 = 0) /\ (~(ready1 >= T + 1) \/ NumlocE1 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocS0 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocS0 = 0) /\ (~(2 * echo0 >= N + T + 1) \/ NumlocS1 = 0) /\ (~(2 * echo1 >= N + T + 1) \/ NumlocS1 = 0) /\ (~(ready0 >= T + 1) \/ NumlocS0 = 0) /\ (~(ready1 >= T + 1) \/ NumlocS0 = 0) /\ (~(ready0 >= T + 1) \/ NumlocS1 = 0) /\ (~(ready1 >= T + 1) \/ NumlocS1 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocR0 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocR1 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocN00 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocN01 = 0) /\ (~(ready0 >= 2 * T + 1) \/ NumlocN10 = 0) /\ (~(ready1 >= 2 * T + 1) \/ NumlocN11 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocR0 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocR1 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocN00 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocN01 = 0) /\ (~(2 * echo0 >= N + 3 * T + 1) \/ NumlocN10 = 0) /\ (~(2 * echo1 >= N + 3 * T + 1) \/ NumlocN11 = 0) /\ NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocN00 = 0 /\ NumlocN01 = 0 /\ NumlocN10 = 0 /\ NumlocN11 = 0))))) \/ <>((NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0 /\ NumlocN00 = 0 /\ NumlocN01 = 0 /\ NumlocN10 = 0 /\ NumlocN11 = 0 /\ NumlocR0 = 0 /\ NumlocR1 = 0 /\ NumlocD0 = 0)))

====
