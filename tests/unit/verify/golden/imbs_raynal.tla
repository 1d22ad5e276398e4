---- MODULE imbs_raynal ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F

ASSUME NbOfCorrProc = N - F
    /\ N >= 5 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1

VARIABLES ProcessesLocations, witness0, witness1, join0, join1

TypeOk ==
    /\ witness0 \in Nat
    /\ witness1 \in Nat
    /\ join0 \in Nat
    /\ join1 \in Nat
    /\ ProcessesLocations \in [Processes -> {"locS0", "locS1", "locW0", "locW1", "locJ0", "locJ1", "locD0", "locD1"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locS0", "locS1"}]
    /\ witness0 = 0
    /\ witness1 = 0
    /\ join0 = 0
    /\ join1 = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locW0"]
    /\ witness0' = witness0 + 1
    /\ UNCHANGED <<witness1, join0, join1>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locW1"]
    /\ witness1' = witness1 + 1
    /\ UNCHANGED <<witness0, join0, join1>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locW0"
    /\ 2 * T + F + witness0 + join0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ0"]
    /\ UNCHANGED <<witness0, witness1, join0, join1>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locW0"
    /\ 2 * T + F + witness1 + join1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ1"]
    /\ join1' = join1 + 1
    /\ UNCHANGED <<witness0, witness1, join0>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locW1"
    /\ 2 * T + F + witness0 + join0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ0"]
    /\ join0' = join0 + 1
    /\ UNCHANGED <<witness0, witness1, join1>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locW1"
    /\ 2 * T + F + witness1 + join1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ1"]
    /\ UNCHANGED <<witness0, witness1, join0, join1>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ 2 * T + F + witness0 + join0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ0"]
    /\ join0' = join0 + 1
    /\ UNCHANGED <<witness0, witness1, join1>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ 2 * T + F + witness1 + join1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ1"]
    /\ join1' = join1 + 1
    /\ UNCHANGED <<witness0, witness1, join0>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ 2 * T + F + witness0 + join0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ0"]
    /\ join0' = join0 + 1
    /\ UNCHANGED <<witness0, witness1, join1>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ 2 * T + F + witness1 + join1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locJ1"]
    /\ join1' = join1 + 1
    /\ UNCHANGED <<witness0, witness1, join0>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locJ0"
    /\ T + F + witness0 + join0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<witness0, witness1, join0, join1>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locJ1"
    /\ T + F + witness1 + join1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<witness0, witness1, join0, join1>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, witness0, witness1, join0, join1>>

NumlocS0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locS0"})
NumlocS1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locS1"})
NumlocW0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locW0"})
NumlocW1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locW1"})
NumlocJ0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locJ0"})
NumlocJ1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locJ1"})
NumlocD0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD0"})
NumlocD1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD1"})

agreement == []((NumlocD0 = 0 \/ NumlocD1 = 0))

unforgeability0 == (~(NumlocS0 = 0) \/ [](NumlocD0 = 0))

unforgeability1 == (~(NumlocS1 = 0) \/ [](NumlocD1 = 0))

totality == (~(<>([](((~(2 * T + witness0 + join0 >= N) \/ NumlocW0 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocW0 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocW1 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocW1 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocS0 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocS0 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocS1 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocS1 = 0) /\ (~(T + witness0 + join0 >= N) \/ NumlocJ0 = 0) /\ (~(T + witness1 + join1 >= N) \/ NumlocJ1 = 0))))) \/ []((~(NumlocD0 + NumlocD1 >= 1) \/ <>((NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocW0 = 0 /\ NumlocW1 = 0 /\ NumlocJ0 = 0 /\ NumlocJ1 = 0)))))

validity0 == (~((NumlocS1 = 0 /\ <>([](((~(2 * T + witness0 + join0 >= N) \/ NumlocW0 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocW0 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocW1 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocW1 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocS0 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocS0 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocS1 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocS1 = 0) /\ (~(T + witness0 + join0 >= N) \/ NumlocJ0 = 0) /\ (~(T + witness1 + join1 >= N) \/ NumlocJ1 = 0) /\ NumlocS0 = 0 /\ NumlocS1 = 0))))) \/ <>((NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocW0 = 0 /\ NumlocW1 = 0 /\ NumlocJ0 = 0 /\ NumlocJ1 = 0 /\ NumlocD1 = 0)))

validity1 == (~((NumlocS0 = 0 /\ <>([](((~(2 * T + witness0 + join0 >= N) \/ NumlocW0 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocW0 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocW1 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocW1 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocS0 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocS0 = 0) /\ (~(2 * T + witness0 + join0 >= N) \/ NumlocS1 = 0) /\ (~(2 * T + witness1 + join1 >= N) \/ NumlocS1 = 0) /\ (~(T + witness0 + join0 >= N) \/ NumlocJ0 = 0) /\ (~(T + witness1 + join1 >= N) \/ NumlocJ1 = 0) /\ NumlocS0 = 0 /\ NumlocS1 = 0))))) \/ <>((NumlocS0 = 0 /\ NumlocS1 = 0 /\ NumlocW0 = 0 /\ NumlocW1 = 0 /\ NumlocJ0 = 0 /\ NumlocJ1 = 0 /\ NumlocD0 = 0)))

====
