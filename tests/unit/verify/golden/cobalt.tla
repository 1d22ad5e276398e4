---- MODULE cobalt ----
EXTENDS Integers, FiniteSets

CONSTANTS Processes, NbOfCorrProc, N, T, F, COIN

ASSUME NbOfCorrProc = N - F
    /\ N >= 3 * T + 1
    /\ T >= F
    /\ F >= 0
    /\ T >= 1
    /\ COIN >= 0
    /\ 1 >= COIN

VARIABLES ProcessesLocations, bval0, bval1, aux0, aux1, conf0, conf1, confB

TypeOk ==
    /\ bval0 \in Nat
    /\ bval1 \in Nat
    /\ aux0 \in Nat
    /\ aux1 \in Nat
    /\ conf0 \in Nat
    /\ conf1 \in Nat
    /\ confB \in Nat
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1", "locM", "locM0", "locM1", "locMB0", "locMB1", "locF0", "locF1", "locFB", "locC0", "locC1", "locCB", "locD0", "locD1", "locE0", "locE1"}]

Init ==
    /\ ProcessesLocations \in [Processes -> {"locV0", "locV1"}]
    /\ bval0 = 0
    /\ bval1 = 0
    /\ aux0 = 0
    /\ aux1 = 0
    /\ conf0 = 0
    /\ conf1 = 0
    /\ confB = 0

Rule0(p) ==
    /\ ProcessesLocations[p] = "locV0"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM"]
    /\ bval0' = bval0 + 1
    /\ UNCHANGED <<bval1, aux0, aux1, conf0, conf1, confB>>

Rule1(p) ==
    /\ ProcessesLocations[p] = "locM"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM0"]
    /\ aux0' = aux0 + 1
    /\ UNCHANGED <<bval0, bval1, aux1, conf0, conf1, confB>>

Rule2(p) ==
    /\ ProcessesLocations[p] = "locM0"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locMB0"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule3(p) ==
    /\ ProcessesLocations[p] = "locV1"
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM"]
    /\ bval1' = bval1 + 1
    /\ UNCHANGED <<bval0, aux0, aux1, conf0, conf1, confB>>

Rule4(p) ==
    /\ ProcessesLocations[p] = "locM"
    /\ bval1 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locM1"]
    /\ aux1' = aux1 + 1
    /\ UNCHANGED <<bval0, bval1, aux0, conf0, conf1, confB>>

Rule5(p) ==
    /\ ProcessesLocations[p] = "locM1"
    /\ bval0 >= 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locMB1"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule6(p) ==
    /\ ProcessesLocations[p] = "locM0"
    /\ T + F + aux0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF0"]
    /\ conf0' = conf0 + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf1, confB>>

Rule7(p) ==
    /\ ProcessesLocations[p] = "locM1"
    /\ T + F + aux1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF1"]
    /\ conf1' = conf1 + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, confB>>

Rule8(p) ==
    /\ ProcessesLocations[p] = "locMB0"
    /\ T + F + aux0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF0"]
    /\ conf0' = conf0 + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf1, confB>>

Rule9(p) ==
    /\ ProcessesLocations[p] = "locMB0"
    /\ T + F + aux1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF1"]
    /\ conf1' = conf1 + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, confB>>

Rule10(p) ==
    /\ ProcessesLocations[p] = "locMB1"
    /\ T + F + aux0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF0"]
    /\ conf0' = conf0 + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf1, confB>>

Rule11(p) ==
    /\ ProcessesLocations[p] = "locMB1"
    /\ T + F + aux1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locF1"]
    /\ conf1' = conf1 + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, confB>>

Rule12(p) ==
    /\ ProcessesLocations[p] = "locMB0"
    /\ T + F + aux0 + aux1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locFB"]
    /\ confB' = confB + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1>>

Rule13(p) ==
    /\ ProcessesLocations[p] = "locMB1"
    /\ T + F + aux0 + aux1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locFB"]
    /\ confB' = confB + 1
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1>>

Rule14(p) ==
    /\ ProcessesLocations[p] = "locF0"
    /\ T + F + conf0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC0"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule15(p) ==
    /\ ProcessesLocations[p] = "locF0"
    /\ T + F + conf1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC1"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule16(p) ==
    /\ ProcessesLocations[p] = "locF0"
    /\ (T + F + conf0 + conf1 + confB >= N /\ bval1 >= 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule17(p) ==
    /\ ProcessesLocations[p] = "locF1"
    /\ T + F + conf0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC0"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule18(p) ==
    /\ ProcessesLocations[p] = "locF1"
    /\ T + F + conf1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC1"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule19(p) ==
    /\ ProcessesLocations[p] = "locF1"
    /\ (T + F + conf0 + conf1 + confB >= N /\ bval0 >= 1)
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule20(p) ==
    /\ ProcessesLocations[p] = "locFB"
    /\ T + F + conf0 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC0"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule21(p) ==
    /\ ProcessesLocations[p] = "locFB"
    /\ T + F + conf1 >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locC1"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule22(p) ==
    /\ ProcessesLocations[p] = "locFB"
    /\ T + F + conf0 + conf1 + confB >= N
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locCB"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule23(p) ==
    /\ ProcessesLocations[p] = "locC0"
    /\ COIN = 0
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD0"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule24(p) ==
    /\ ProcessesLocations[p] = "locC0"
    /\ COIN = 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE0"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule25(p) ==
    /\ ProcessesLocations[p] = "locC1"
    /\ COIN = 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locD1"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule26(p) ==
    /\ ProcessesLocations[p] = "locC1"
    /\ COIN = 0
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE1"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule27(p) ==
    /\ ProcessesLocations[p] = "locCB"
    /\ COIN = 0
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE0"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Rule28(p) ==
    /\ ProcessesLocations[p] = "locCB"
    /\ COIN = 1
    /\ ProcessesLocations' = [ProcessesLocations EXCEPT ![p] = "locE1"]
    /\ UNCHANGED <<bval0, bval1, aux0, aux1, conf0, conf1, confB>>

Next == \E p \in Processes : Rule0(p) \/ Rule1(p) \/ Rule2(p) \/ Rule3(p) \/ Rule4(p) \/ Rule5(p) \/ Rule6(p) \/ Rule7(p) \/ Rule8(p) \/ Rule9(p) \/ Rule10(p) \/ Rule11(p) \/ Rule12(p) \/ Rule13(p) \/ Rule14(p) \/ Rule15(p) \/ Rule16(p) \/ Rule17(p) \/ Rule18(p) \/ Rule19(p) \/ Rule20(p) \/ Rule21(p) \/ Rule22(p) \/ Rule23(p) \/ Rule24(p) \/ Rule25(p) \/ Rule26(p) \/ Rule27(p) \/ Rule28(p)

Spec == Init /\ [][Next]_<<ProcessesLocations, bval0, bval1, aux0, aux1, conf0, conf1, confB>>

NumlocV0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV0"})
NumlocV1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locV1"})
NumlocM == Cardinality({p \in Processes : ProcessesLocations[p] = "locM"})
NumlocM0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locM0"})
NumlocM1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locM1"})
NumlocMB0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locMB0"})
NumlocMB1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locMB1"})
NumlocF0 == Cardinality({p \in Processes : ProcessesLocations[p] = "locF0"})
NumlocF1 == Cardinality({p \in Processes : ProcessesLocations[p] = "locF1"})
NumlocFB == Cardinality({p \in Processes : ProcessesLocations[p] = "locFB"})
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

finish0 == (~((NumlocV1 = 0 /\ <>([]((NumlocV0 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM0 = 0) /\ NumlocV1 = 0 /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(bval0 >= 1) \/ NumlocM1 = 0) /\ (~(T + aux0 >= N) \/ NumlocM0 = 0) /\ (~(T + aux1 >= N) \/ NumlocM1 = 0) /\ (~(T + aux0 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux1 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux0 >= N) \/ NumlocMB1 = 0) /\ (~(T + aux1 >= N) \/ NumlocMB1 = 0) /\ (~(T + aux0 + aux1 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux0 + aux1 >= N) \/ NumlocMB1 = 0) /\ (~(T + conf0 >= N) \/ NumlocF0 = 0) /\ (~(T + conf1 >= N) \/ NumlocF0 = 0) /\ (~((T + conf0 + conf1 + confB >= N /\ bval1 >= 1)) \/ NumlocF0 = 0) /\ (~(T + conf0 >= N) \/ NumlocF1 = 0) /\ (~(T + conf1 >= N) \/ NumlocF1 = 0) /\ (~((T + conf0 + conf1 + confB >= N /\ bval0 >= 1)) \/ NumlocF1 = 0) /\ (~(T + conf0 >= N) \/ NumlocFB = 0) /\ (~(T + conf1 >= N) \/ NumlocFB = 0) /\ (~(T + conf0 + conf1 + confB >= N) \/ NumlocFB = 0) /\ (~(COIN = 0) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocCB = 0) /\ (~(COIN = 1) \/ NumlocCB = 0)))) /\ COIN = 0)) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocM0 = 0 /\ NumlocM1 = 0 /\ NumlocMB0 = 0 /\ NumlocMB1 = 0 /\ NumlocF0 = 0 /\ NumlocF1 = 0 /\ NumlocFB = 0 /\ NumlocC0 = 0 /\ NumlocC1 = 0 /\ NumlocCB = 0 /\ NumlocD1 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0)))

lock1 == []((NumlocD1 = 0 \/ (NumlocD0 = 0 /\ NumlocE0 = 0)))

keep1 == (~(NumlocV0 = 0) \/ []((NumlocD0 = 0 /\ NumlocE0 = 0)))

finish1 == (~((NumlocV0 = 0 /\ <>([]((NumlocV0 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM0 = 0) /\ NumlocV1 = 0 /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(bval0 >= 1) \/ NumlocM1 = 0) /\ (~(T + aux0 >= N) \/ NumlocM0 = 0) /\ (~(T + aux1 >= N) \/ NumlocM1 = 0) /\ (~(T + aux0 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux1 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux0 >= N) \/ NumlocMB1 = 0) /\ (~(T + aux1 >= N) \/ NumlocMB1 = 0) /\ (~(T + aux0 + aux1 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux0 + aux1 >= N) \/ NumlocMB1 = 0) /\ (~(T + conf0 >= N) \/ NumlocF0 = 0) /\ (~(T + conf1 >= N) \/ NumlocF0 = 0) /\ (~((T + conf0 + conf1 + confB >= N /\ bval1 >= 1)) \/ NumlocF0 = 0) /\ (~(T + conf0 >= N) \/ NumlocF1 = 0) /\ (~(T + conf1 >= N) \/ NumlocF1 = 0) /\ (~((T + conf0 + conf1 + confB >= N /\ bval0 >= 1)) \/ NumlocF1 = 0) /\ (~(T + conf0 >= N) \/ NumlocFB = 0) /\ (~(T + conf1 >= N) \/ NumlocFB = 0) /\ (~(T + conf0 + conf1 + confB >= N) \/ NumlocFB = 0) /\ (~(COIN = 0) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocCB = 0) /\ (~(COIN = 1) \/ NumlocCB = 0)))) /\ COIN = 1)) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocM0 = 0 /\ NumlocM1 = 0 /\ NumlocMB0 = 0 /\ NumlocMB1 = 0 /\ NumlocF0 = 0 /\ NumlocF1 = 0 /\ NumlocFB = 0 /\ NumlocC0 = 0 /\ NumlocC1 = 0 /\ NumlocCB = 0 /\ NumlocD0 = 0 /\ NumlocE0 = 0 /\ NumlocE1 = 0)))

round_ends == (~(<>([]((NumlocV0 = 0 /\ (~(bval0 >= 1) \/ NumlocM = 0) /\ (~(bval1 >= 1) \/ NumlocM0 = 0) /\ NumlocV1 = 0 /\ (~(bval1 >= 1) \/ NumlocM = 0) /\ (~(bval0 >= 1) \/ NumlocM1 = 0) /\ (~(T + aux0 >= N) \/ NumlocM0 = 0) /\ (~(T + aux1 >= N) \/ NumlocM1 = 0) /\ (~(T + aux0 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux1 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux0 >= N) \/ NumlocMB1 = 0) /\ (~(T + aux1 >= N) \/ NumlocMB1 = 0) /\ (~(T + aux0 + aux1 >= N) \/ NumlocMB0 = 0) /\ (~(T + aux0 + aux1 >= N) \/ NumlocMB1 = 0) /\ (~(T + conf0 >= N) \/ NumlocF0 = 0) /\ (~(T + conf1 >= N) \/ NumlocF0 = 0) /\ (~((T + conf0 + conf1 + confB >= N /\ bval1 >= 1)) \/ NumlocF0 = 0) /\ (~(T + conf0 >= N) \/ NumlocF1 = 0) /\ (~(T + conf1 >= N) \/ NumlocF1 = 0) /\ (~((T + conf0 + conf1 + confB >= N /\ bval0 >= 1)) \/ NumlocF1 = 0) /\ (~(T + conf0 >= N) \/ NumlocFB = 0) /\ (~(T + conf1 >= N) \/ NumlocFB = 0) /\ (~(T + conf0 + conf1 + confB >= N) \/ NumlocFB = 0) /\ (~(COIN = 0) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC0 = 0) /\ (~(COIN = 1) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocC1 = 0) /\ (~(COIN = 0) \/ NumlocCB = 0) /\ (~(COIN = 1) \/ NumlocCB = 0))))) \/ <>((NumlocV0 = 0 /\ NumlocV1 = 0 /\ NumlocM = 0 /\ NumlocM0 = 0 /\ NumlocM1 = 0 /\ NumlocMB0 = 0 /\ NumlocMB1 = 0 /\ NumlocF0 = 0 /\ NumlocF1 = 0 /\ NumlocFB = 0 /\ NumlocC0 = 0 /\ NumlocC1 = 0 /\ NumlocCB = 0)))

\* binding speaks of two futures of one prefix: no formula here says it

====
