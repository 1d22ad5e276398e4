---- MODULE graded_bca ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F

ASSUME NbOfCorrProc = N - F
    /\ N >= 3 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1

VARIABLES ProcessesLocations, bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B

TypeOk ==
    /\ bval0 \in Nat
    /\ bval1 \in Nat
    /\ echo2_0 \in Nat
    /\ echo2_1 \in Nat
    /\ echo3_0 \in Nat
    /\ echo3_1 \in Nat
    /\ echo3_B \in Nat
    /\ echo4_0 \in Nat
    /\ echo4_1 \in Nat
    /\ echo4_B \in Nat
    /\ echo5_0 \in Nat
    /\ echo5_1 \in Nat
    /\ echo5_B \in Nat
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1", "locM", "locA0", "locA1", "locX0", "locX1", "locXB", "locY0", "locY1", "locYB", "locZ0", "locZ1", "locZB", "locD0", "locD1", "locE0", "locE1", "locF", "locH0", "locH1"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1"}]
    /\ bval0 = 0
    /\ bval1 = 0
    /\ echo2_0 = 0
    /\ echo2_1 = 0
    /\ echo3_0 = 0
    /\ echo3_1 = 0
    /\ echo3_B = 0
    /\ echo4_0 = 0
    /\ echo4_1 = 0
    /\ echo4_B = 0
    /\ echo5_0 = 0
    /\ echo5_1 = 0
    /\ echo5_B = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locV0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM"]
    /\ bval0' = bval0 + 1
    /\ UNCHANGED <<bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locV1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM"]
    /\ bval1' = bval1 + 1
    /\ UNCHANGED <<bval0, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locM"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locA0"]
    /\ echo2_0' = echo2_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locM"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locA1"]
    /\ echo2_1' = echo2_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locA0"
    /\ T + F + echo2_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX0"]
    /\ echo3_0' = echo3_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locA0"
    /\ T + F + echo2_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX0"]
    /\ echo3_1' = echo3_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locA0"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ echo3_B' = echo3_B + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locA1"
    /\ T + F + echo2_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX1"]
    /\ echo3_0' = echo3_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locA1"
    /\ T + F + echo2_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locX1"]
    /\ echo3_1' = echo3_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locA1"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ echo3_B' = echo3_B + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locX0"
    /\ T + F + echo3_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locY0"]
    /\ echo4_0' = echo4_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locX0"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule12(p) ==
    /\ ProcessesLocations[p] = "locX1"
    /\ T + F + echo3_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locY1"]
    /\ echo4_1' = echo4_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule13(p) ==
    /\ ProcessesLocations[p] = "locX1"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locXB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule14(p) ==
    /\ ProcessesLocations[p] = "locXB"
    /\ T + F + echo3_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locYB"]
    /\ echo4_0' = echo4_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule15(p) ==
    /\ ProcessesLocations[p] = "locXB"
    /\ T + F + echo3_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locYB"]
    /\ echo4_1' = echo4_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule16(p) ==
    /\ ProcessesLocations[p] = "locXB"
    /\ T + F + echo3_0 + echo3_1 + echo3_B >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locYB"]
    /\ echo4_B' = echo4_B + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo5_0, echo5_1, echo5_B>>

Rule17(p) ==
    /\ ProcessesLocations[p] = "locY0"
    /\ T + F + echo4_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locZ0"]
    /\ echo5_0' = echo5_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_1, echo5_B>>

Rule18(p) ==
    /\ ProcessesLocations[p] = "locY0"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locYB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule19(p) ==
    /\ ProcessesLocations[p] = "locY1"
    /\ T + F + echo4_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locZ1"]
    /\ echo5_1' = echo5_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_B>>

Rule20(p) ==
    /\ ProcessesLocations[p] = "locY1"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locYB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule21(p) ==
    /\ ProcessesLocations[p] = "locYB"
    /\ T + F + echo4_0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locZB"]
    /\ echo5_0' = echo5_0 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_1, echo5_B>>

Rule22(p) ==
    /\ ProcessesLocations[p] = "locYB"
    /\ T + F + echo4_1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locZB"]
    /\ echo5_1' = echo5_1 + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_B>>

Rule23(p) ==
    /\ ProcessesLocations[p] = "locYB"
    /\ T + F + echo4_0 + echo4_1 + echo4_B >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locZB"]
    /\ echo5_B' = echo5_B + 1
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1>>

Rule24(p) ==
    /\ ProcessesLocations[p] = "locZ0"
    /\ (T + F + echo5_0 >= N /\ F + echo4_0 >= T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule25(p) ==
    /\ ProcessesLocations[p] = "locZ0"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locZB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule26(p) ==
    /\ ProcessesLocations[p] = "locZ1"
    /\ (T + F + echo5_1 >= N /\ F + echo4_1 >= T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule27(p) ==
    /\ ProcessesLocations[p] = "locZ1"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locZB"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule28(p) ==
    /\ ProcessesLocations[p] = "locZB"
    /\ (T + F + echo5_0 >= N /\ F + echo4_0 >= T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule29(p) ==
    /\ ProcessesLocations[p] = "locZB"
    /\ (T + F + echo5_1 >= N /\ F + echo4_1 >= T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule30(p) ==
    /\ ProcessesLocations[p] = "locZB"
    /\ (T + F + echo5_0 + echo5_B >= N /\ F + echo5_0 >= 1 /\ F + echo4_0 >= T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule31(p) ==
    /\ ProcessesLocations[p] = "locZB"
    /\ (T + F + echo5_1 + echo5_B >= N /\ F + echo5_1 >= 1 /\ F + echo4_1 >= T + 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule32(p) ==
    /\ ProcessesLocations[p] = "locZB"
    /\ T + F + echo5_B >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule33(p) ==
    /\ ProcessesLocations[p] = "locF"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locH0"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Rule34(p) ==
    /\ ProcessesLocations[p] = "locF"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locH1"]
    /\ UNCHANGED <<bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p) \/ Rule12(p) \/ Rule13(p) \/ Rule14(p) \/ Rule15(p) \/ Rule16(p) \/ Rule17(p) \/ Rule18(p) \/ Rule19(p) \/ Rule20(p) \/ Rule21(p) \/ Rule22(p) \/ Rule23(p) \/ Rule24(p) \/ Rule25(p) \/ Rule26(p) \/ Rule27(p) \/ Rule28(p) \/ Rule29(p) \/ Rule30(p) \/ Rule31(p) \/ Rule32(p) \/ Rule33(p) \/ Rule34(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, bval0, bval1, echo2_0, echo2_1, echo3_0, echo3_1, echo3_B, echo4_0, echo4_1, echo4_B, echo5_0, echo5_1, echo5_B>>

NumlocV0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV0"})
NumlocV1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV1"})
NumlocM == Cardinality({p \in Processes : ProcessesLocations[p] = "locM"})
NumlocA0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locA0"})
NumlocA1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locA1"})
NumlocX0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locX0"})
NumlocX1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locX1"})
NumlocXB == Cardinality({p \in Processes : ProcessesLocations[p] = "locXB"})
NumlocY0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locY0"})
NumlocY1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locY1"})
NumlocYB == Cardinality({p \in Processes : ProcessesLocations[p] = "locYB"})
NumlocZ0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locZ0"})
NumlocZ1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locZ1"})
NumlocZB == Cardinality({p \in Processes : ProcessesLocations[p] = "locZB"})
NumlocD0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD0"})
NumlocD1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locD1"})
NumlocE0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE0"})
NumlocE1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locE1"})
NumlocF == Cardinality({p \in Processes : ProcessesLocations[p] = "locF"})
NumlocH0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locH0"})
NumlocH1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locH1"})

agreement == [](((NumlocD0 = 0 /\ NumlocE0 = 0) \/ (NumlocD1 = 0 /\ NumlocE1 = 0)))

grades0 == []((NumlocD0 = 0 \/ NumlocF = 0))

grades1 == []((NumlocD1 = 0 \/ NumlocF = 0))

justification0 == (~(NumlocV0 = 0) \/ []((NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocF = 0)))

justification1 == (~(NumlocV1 = 0) \/ []((NumlocD1 = 0 /\ NumlocE1 = 0 /\ NumlocF = 0)))

lock0 == []((NumlocD0 = 0 \/ (NumlocD1 = 0 /\ NumlocE1 = 0 /\ NumlocH1 = 0)))

keep0 == (~(NumlocV1 = 0) \/ []((NumlocD1 = 0 /\ NumlocE1 = 0 /\ NumlocH1 = 0)))

finish0 == (~((NumlocV1 = 0 /\ <>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA0 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA0 = 0) /\ (~(bval1 >= 1) \/ NumlocA0 = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA1 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA1 = 0) /\ (~(bval0 >= 1) \/ NumlocA1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocX0 = 0) /\ (~(bval1 >= 1) \/ NumlocX0 = 0) /\ (~(T + echo3_1 >= N) \/ NumlocX1 = 0) /\ (~(bval0 >= 1) \/ NumlocX1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_1 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_0 + echo3_1 + echo3_B >= N) \/ NumlocXB = 0) /\ (~(T + echo4_0 >= N) \/ NumlocY0 = 0) /\ (~(bval1 >= 1) \/ NumlocY0 = 0) /\ (~(T + echo4_1 >= N) \/ NumlocY1 = 0) /\ (~(bval0 >= 1) \/ NumlocY1 = 0) /\ (~(T + echo4_0 >= N) \/ NumlocYB = 0) /\ (~(T + echo4_1 >= N) \/ NumlocYB = 0) /\ (~(T + echo4_0 + echo4_1 + echo4_B >= N) \/ NumlocYB = 0) /\ (~((T + echo5_0 >= N /\ echo4_0 >= T + 1)) \/ NumlocZ0 = 0) /\ (~(bval1 >= 1) \/ NumlocZ0 = 0) /\ (~((T + echo5_1 >= N /\ echo4_1 >= T + 1)) \/ NumlocZ1 = 0) /\ (~(bval0 >= 1) \/ NumlocZ1 = 0) /\ (~((T + echo5_0 >= N /\ echo4_0 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_1 >= N /\ echo4_1 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_0 + echo5_B >= N /\ echo5_0 >= 1 /\ echo4_0 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_1 + echo5_B >= N /\ echo5_1 >= 1 /\ echo4_1 >= T + 1)) \/ NumlocZB = 0) /\ (~(T + echo5_B >= N) \/ NumlocZB = 0) /\ NumlocF = 0 /\ NumlocF = 0))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocA0 = 0 /\ NumlocA1 = 0 /\ NumlocX0 = 0 /\ NumlocX1 = 0 /\ NumlocXB = 0 /\ NumlocY0 = 0 /\ NumlocY1 = 0 /\ NumlocYB = 0 /\ NumlocZ0 = 0 /\ NumlocZ1 = 0 /\ NumlocZB = 0 /\ NumlocD1 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0 /\ NumlocF = 0 /\ NumlocH0 = 0 /\ NumlocH1 = 0)))

lock1 == []((NumlocD1 = 0 \/ (NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocH0 = 0)))

keep1 == (~(NumlocV0 = 0) \/ []((NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocH0 = 0)))

finish1 == (~((NumlocV0 = 0 /\ <>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA0 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA0 = 0) /\ (~(bval1 >= 1) \/ NumlocA0 = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA1 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA1 = 0) /\ (~(bval0 >= 1) \/ NumlocA1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocX0 = 0) /\ (~(bval1 >= 1) \/ NumlocX0 = 0) /\ (~(T + echo3_1 >= N) \/ NumlocX1 = 0) /\ (~(bval0 >= 1) \/ NumlocX1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_1 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_0 + echo3_1 + echo3_B >= N) \/ NumlocXB = 0) /\ (~(T + echo4_0 >= N) \/ NumlocY0 = 0) /\ (~(bval1 >= 1) \/ NumlocY0 = 0) /\ (~(T + echo4_1 >= N) \/ NumlocY1 = 0) /\ (~(bval0 >= 1) \/ NumlocY1 = 0) /\ (~(T + echo4_0 >= N) \/ NumlocYB = 0) /\ (~(T + echo4_1 >= N) \/ NumlocYB = 0) /\ (~(T + echo4_0 + echo4_1 + echo4_B >= N) \/ NumlocYB = 0) /\ (~((T + echo5_0 >= N /\ echo4_0 >= T + 1)) \/ NumlocZ0 = 0) /\ (~(bval1 >= 1) \/ NumlocZ0 = 0) /\ (~((T + echo5_1 >= N /\ echo4_1 >= T + 1)) \/ NumlocZ1 = 0) /\ (~(bval0 >= 1) \/ NumlocZ1 = 0) /\ (~((T + echo5_0 >= N /\ echo4_0 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_1 >= N /\ echo4_1 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_0 + echo5_B >= N /\ echo5_0 >= 1 /\ echo4_0 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_1 + echo5_B >= N /\ echo5_1 >= 1 /\ echo4_1 >= T + 1)) \/ NumlocZB = 0) /\ (~(T + echo5_B >= N) \/ NumlocZB = 0) /\ NumlocF = 0 /\ NumlocF = 0))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocA0 = 0 /\ NumlocA1 = 0 /\ NumlocX0 = 0 /\ NumlocX1 = 0 /\ NumlocXB = 0 /\ NumlocY0 = 0 /\ NumlocY1 = 0 /\ NumlocYB = 0 /\ NumlocZ0 = 0 /\ NumlocZ1 = 0 /\ NumlocZB = 0 /\ NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0 /\ NumlocF = 0 /\ NumlocH0 = 0 /\ NumlocH1 = 0)))

round_ends == (~(<>([]((NumlocV0 = 0 /\ NumlocV1 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA0 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA0 = 0) /\ (~(bval1 >= 1) \/ NumlocA0 = 0) /\ (~(T + echo2_0 >= N) \/ NumlocA1 = 0) /\ (~(T + echo2_1 >= N) \/ NumlocA1 = 0) /\ (~(bval0 >= 1) \/ NumlocA1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocX0 = 0) /\ (~(bval1 >= 1) \/ NumlocX0 = 0) /\ (~(T + echo3_1 >= N) \/ NumlocX1 = 0) /\ (~(bval0 >= 1) \/ NumlocX1 = 0) /\ (~(T + echo3_0 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_1 >= N) \/ NumlocXB = 0) /\ (~(T + echo3_0 + echo3_1 + echo3_B >= N) \/ NumlocXB = 0) /\ (~(T + echo4_0 >= N) \/ NumlocY0 = 0) /\ (~(bval1 >= 1) \/ NumlocY0 = 0) /\ (~(T + echo4_1 >= N) \/ NumlocY1 = 0) /\ (~(bval0 >= 1) \/ NumlocY1 = 0) /\ (~(T + echo4_0 >= N) \/ NumlocYB = 0) /\ (~(T + echo4_1 >= N) \/ NumlocYB = 0) /\ (~(T + echo4_0 + echo4_1 + echo4_B >= N) \/ NumlocYB = 0) /\ (~((T + echo5_0 >= N /\ echo4_0 >= T + 1)) \/ NumlocZ0 = 0) /\ (~(bval1 >= 1) \/ NumlocZ0 = 0) /\ (~((T + echo5_1 >= N /\ echo4_1 >= T + 1)) \/ NumlocZ1 = 0) /\ (~(bval0 >= 1) \/ NumlocZ1 = 0) /\ (~((T + echo5_0 >= N /\ echo4_0 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_1 >= N /\ echo4_1 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_0 + echo5_B >= N /\ echo5_0 >= 1 /\ echo4_0 >= T + 1)) \/ NumlocZB = 0) /\ (~((T + echo5_1 + echo5_B >= N /\ echo5_1 >= 1 /\ echo4_1 >= T + 1)) \/ NumlocZB = 0) /\ (~(T + echo5_B >= N) \/ NumlocZB = 0) /\ NumlocF = 0 /\ NumlocF = 0)))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocA0 = 0 /\ NumlocA1 = 0 /\ NumlocX0 = 0 /\ NumlocX1 = 0 /\ NumlocXB = 0 /\ NumlocY0 = 0 /\ NumlocY1 = 0 /\ NumlocYB = 0 /\ NumlocZ0 = 0 /\ NumlocZ1 = 0 /\ NumlocZB = 0 /\ NumlocF = 0)))

one_side == [](((NumlocD0 = 0 /\ NumlocE0 = 0) \/ (NumlocD1 = 0 /\ NumlocE1 = 0)))

====
