---- MODULE thresher_slot ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F

ASSUME NbOfCorrProc = N - F
    /\ N >= 3 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1

VARIABLES ProcessesLocations, vote0, vote1, blame, claim0, claim1, noclaim

TypeOk ==
    /\ vote0 \in Nat
    /\ vote1 \in Nat
    /\ blame \in Nat
    /\ claim0 \in Nat
    /\ claim1 \in Nat
    /\ noclaim \in Nat
    /\ ProcessesLocations \in [Processes -> {"locS0", "locS1", "locSB", "locW", "locK0", "locK1", "locN", "locD0", "locD1", "locX", "locP0", "locP1"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locS0", "locS1", "locSB"}]
    /\ vote0 = 0
    /\ vote1 = 0
    /\ blame = 0
    /\ claim0 = 0
    /\ claim1 = 0
    /\ noclaim = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locS0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locW"]
    /\ vote0' = vote0 + 1
    /\ UNCHANGED <<vote1, blame, claim0, claim1, noclaim>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locS1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locW"]
    /\ vote1' = vote1 + 1
    /\ UNCHANGED <<vote0, blame, claim0, claim1, noclaim>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locSB"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locW"]
    /\ blame' = blame + 1
    /\ UNCHANGED <<vote0, vote1, claim0, claim1, noclaim>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locW"
    /\ 2 * F + 2 * vote0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locK0"]
    /\ claim0' = claim0 + 1
    /\ UNCHANGED <<vote0, vote1, blame, claim1, noclaim>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locW"
    /\ F + claim0 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locK0"]
    /\ claim0' = claim0 + 1
    /\ UNCHANGED <<vote0, vote1, blame, claim1, noclaim>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locW"
    /\ 2 * F + 2 * vote1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locK1"]
    /\ claim1' = claim1 + 1
    /\ UNCHANGED <<vote0, vote1, blame, claim0, noclaim>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locW"
    /\ F + claim1 >= T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locK1"]
    /\ claim1' = claim1 + 1
    /\ UNCHANGED <<vote0, vote1, blame, claim0, noclaim>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locW"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locN"]
    /\ noclaim' = noclaim + 1
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locK0"
    /\ 2 * F + 2 * claim0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locK0"
    /\ 2 * F + 2 * claim1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locK0"
    /\ (2 * F + 2 * vote0 + 2 * blame >= N + T + 1 /\ 2 * F + 2 * vote1 + 2 * blame >= N + T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locK0"
    /\ 2 * F + 2 * claim1 + 2 * noclaim >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP0"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule12(p) ==
    /\ ProcessesLocations[p] = "locK0"
    /\ 2 * F + 2 * claim0 + 2 * noclaim >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP1"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule13(p) ==
    /\ ProcessesLocations[p] = "locK1"
    /\ 2 * F + 2 * claim0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule14(p) ==
    /\ ProcessesLocations[p] = "locK1"
    /\ 2 * F + 2 * claim1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule15(p) ==
    /\ ProcessesLocations[p] = "locK1"
    /\ (2 * F + 2 * vote0 + 2 * blame >= N + T + 1 /\ 2 * F + 2 * vote1 + 2 * blame >= N + T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule16(p) ==
    /\ ProcessesLocations[p] = "locK1"
    /\ 2 * F + 2 * claim1 + 2 * noclaim >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP0"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule17(p) ==
    /\ ProcessesLocations[p] = "locK1"
    /\ 2 * F + 2 * claim0 + 2 * noclaim >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP1"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule18(p) ==
    /\ ProcessesLocations[p] = "locN"
    /\ 2 * F + 2 * claim0 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule19(p) ==
    /\ ProcessesLocations[p] = "locN"
    /\ 2 * F + 2 * claim1 >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule20(p) ==
    /\ ProcessesLocations[p] = "locN"
    /\ (2 * F + 2 * vote0 + 2 * blame >= N + T + 1 /\ 2 * F + 2 * vote1 + 2 * blame >= N + T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule21(p) ==
    /\ ProcessesLocations[p] = "locN"
    /\ 2 * F + 2 * claim1 + 2 * noclaim >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP0"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Rule22(p) ==
    /\ ProcessesLocations[p] = "locN"
    /\ 2 * F + 2 * claim0 + 2 * noclaim >= N + T + 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locP1"]
    /\ UNCHANGED <<vote0, vote1, blame, claim0, claim1, noclaim>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p) \/ Rule12(p) \/ Rule13(p) \/ Rule14(p) \/ Rule15(p) \/ Rule16(p) \/ Rule17(p) \/ Rule18(p) \/ Rule19(p) \/ Rule20(p) \/ Rule21(p) \/ Rule22(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, vote0, vote1, blame, claim0, claim1, noclaim>>

NumlocS0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locS0"})
NumlocS1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locS1"})
NumlocSB == Cardinality({p \in Processes : ProcessesLocations[p] = "locSB"})
NumlocW == Cardinality({p \in Processes : ProcessesLocations[p] = "locW"})
NumlocK0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locK0"})
NumlocK1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locK1"})
NumlocN == Cardinality({p \in Processes : ProcessesLocations[p] = "locN"})
NumlocD0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD0"})
NumlocD1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD1"})
NumlocX == Cardinality({p \in Processes : ProcessesLocations[p] = "locX"})
NumlocP0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locP0"})
NumlocP1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locP1"})

one_certificate == []((NumlocK0 = 0 \/ NumlocK1 = 0))

agreement == []((NumlocD0 = 0 \/ NumlocD1 = 0))

skip_kills0 == []((NumlocD0 = 0 \/ NumlocX = 0))

skip_kills1 == []((NumlocD1 = 0 \/ NumlocX = 0))

justification0 == (~(NumlocS0 = 0) \/ []((NumlocK0 = 0 /\ NumlocD0 = 0)))

justification1 == (~(NumlocS1 = 0) \/ []((NumlocK1 = 0 /\ NumlocD1 = 0)))

survival0 == []((NumlocD0 = 0 \/ NumlocP0 = 0))

survival1 == []((NumlocD1 = 0 \/ NumlocP1 = 0))

====
