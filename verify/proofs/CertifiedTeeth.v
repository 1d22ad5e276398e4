(* Teeth of the certified family: with any one hypothesis removed, all others kept, there is a concrete run whose logs part,
   or that breaks what a certificate proves; the unbroken rules order and deliver. n = 4, f = 1, node 3 is Byzantine, nodes
   5 to 7 only watch. Every statement is checked by computation inside Coq. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Certified CertifiedProof CertifiedOrder CertifiedGate.

(* vertex i = row i of a table: author, round, round of the self edge, names *)
Record row := mk { ra : nat; rr : nat; rs : option nat; rn : list name }.
Definition row_at (t : list row) i := nth i t (mk 99 0 None []).
Definition tb (t : list row) : Vertices := {| Vtx := nat; veq_dec := Nat.eq_dec;
  va i := ra (row_at t i); vr i := rr (row_at t i); vself i := rs (row_at t i); vrefs i := rn (row_at t i) |}.
Record flags := mkflags { fr : bool; fs : bool; fc : bool; fa : bool; ff : bool; fg : bool; fn : bool }.
Definition all_on := mkflags true true true true true true true.
Definition par (ld : list nat) ce de co ad (o : flags) : CParams := {|
  members := 4; stake := fun _ => 1; faults := 1; byz := fun p => p =? 3; leader := fun r => nth r ld 9;
  certify := ce; complete := 3; dense := de; commit := co; depth := 2; all_dense := ad;
  rule_rising := fr o; rule_self := fs o; rule_chain := fc o; rule_closed := fa o; rule_floor := ff o;
  rule_gate := fg o; rule_refs := fn o |}.
(* the hypotheses as booleans: 0 byz_le, 1 C1, 2 C2, 3 rising, 4 self, 5 chain, 6 closed, 7 floor, 8 gate, 9 refs *)
Definition laws (P : CParams) : list bool :=
  [ wsum stake byz members <=? faults; total + faults + 1 <=? certify + certify;
    total + (if all_dense then 0 else faults) + 1 <=? commit + dense;
    rule_rising; rule_self; rule_chain; rule_closed; rule_floor; rule_gate; rule_refs ].
Definition breaks (P : CParams) (k : nat) : Prop := laws P = map (fun i => negb (i =? k)) (seq 0 10).
Lemma laws_legal P : firstn 8 (laws P) = repeat true 8 -> CLegal P.
Proof.
  intros H. cbv [laws firstn repeat] in H. injection H as H0 H1 H2 H3 H4 H5 H6 H7.
  constructor; try apply Nat.leb_le; assumption.
Qed.
Definition fork (P : CParams) (V : Vertices) : Prop :=
  exists s p q, reach s /\ ~ prefix (log s p) (log s q) /\ ~ prefix (log s q) (log s p).
Theorem no_fork P V : CLegal P -> ~ fork P V.
Proof.
  intros HL (s & p & q & R & H1 & H2).
  destruct (certified_agreement s s s p q) as [H|H]; auto; exists []; reflexivity.
Qed.

Section Play.
Context (P : CParams) (t : list row).
#[local] Existing Instance P | 0.
#[local] Instance VT : Vertices := tb t.
(* what the rules refuse does not happen *)
Definition attempt (s : state) (e : event) : state := match exec s e with Some s' => s' | None => s end.
Definition play (es : list event) : state := fold_left attempt es init.
Lemma play_reach es : reach (play es).
Proof.
  unfold play. assert (R : reach (VT := VT) init) by (exists []; reflexivity). revert R. generalize (init (VT := VT)).
  induction es as [|e u IH]; simpl; intros s [l H]; [exists l; auto|]. apply IH. unfold attempt.
  destruct (exec s e) as [s'|] eqn:E; [|exists l; auto]. exists (l ++ [e]).
  revert H. generalize (init (VT := VT)). induction l as [|x l IHl]; simpl; intros s0 H.
  - inversion H; subst. now rewrite E.
  - destruct (exec s0 x); [auto|discriminate].
Qed.
(* all sign and vote if they may; with a quorum it is certified; the members accept *)
Definition vote (p i : nat) : list event := [EVote p (i : Vtx)].
Definition propose (i : nat) : list event := vote (ra (row_at t i)) i ++ flat_map (fun p => vote p i) [0; 1; 2; 3].
Definition certified (i : nat) : list event := ECert (i : Vtx) :: map (fun p => EAccept p (i : Vtx)) [0; 1; 2; 3].
Definition both (l : list nat) : list event := flat_map (fun i => propose i ++ certified i) l.
Definition watch (p : nat) (l : list nat) (x : nat) : list event :=
  map (fun i => EAccept p (i : Vtx)) l ++ [EOrder p (x : Vtx)].
Definition first (s : state) (p : nat) : list nat := match log s p with e :: _ => [fst e] | [] => [] end.
Definition parts (es : list event) : bool :=
  match first (play es) 5, first (play es) 6 with [x], [y] => negb (x =? y) | _, _ => false end.
Lemma parts_fork es : parts es = true -> fork P (tb t).
Proof.
  unfold parts, first. destruct (log (play es) 5) as [|x l] eqn:E5, (log (play es) 6) as [|y l'] eqn:E6;
    try discriminate. intros H. apply negb_true_iff, Nat.eqb_neq in H. exists (play es), 5, 6.
  split; [apply play_reach|]. unfold VT, Vtx in *. rewrite E5, E6.
  split; intros [u U]; simpl in U; injection U as U _; apply H; congruence.
Qed.
(* a vertex is certified though a round below it is not complete; though something that it names does not exist *)
Definition ahead (es : list event) (x k : nat) : bool :=
  memv x (cert (play es)) && (1 <=? k) && (k <? @vr VT x) && negb (complete <=? of_round (cert (play es)) k).
Definition ghost (es : list event) (x : nat) (n : name) : bool :=
  memv x (cert (play es)) && memn n (@names VT x) && negb (here (cert (play es)) n)
  && forallb (fun p => flr (play es) p =? 0) [0; 1; 2].
End Play.

Definition ld := [9; 9; 1; 9; 3; 9; 2; 9].
(* names of round r: 0.r, 1.r, 2.r, 3.r by author *)
Definition n3 (r : nat) : list name := [(0, r); (1, r); (2, r)].
Definition rounds12 := [
  mk 0 1 None []; mk 1 1 None []; mk 2 1 None [];                                          (* 0..2: 0.1 1.1 2.1 *)
  mk 0 2 (Some 1) []; mk 1 2 (Some 1) (n3 1); mk 2 2 (Some 1) [] ].                        (* 3 0.2, 4 1.2 anchor, 5 2.2 *)
Definition table (v03 : list name) s04 s05 (par26 : list name) : list row := rounds12 ++ [
  mk 0 3 (Some 2) v03; mk 1 3 (Some 2) [(1, 2)]; mk 2 3 (Some 2) []; mk 3 3 None [(1, 2)]; (* 6 0.3, 7 1.3, 8 2.3, 9 3.3 *)
  mk 0 4 (Some s04) []; mk 1 4 (Some 3) []; mk 2 4 (Some 3) [];                            (* 10 0.4, 11 1.4, 12 2.4 *)
  mk 0 5 s05 []; mk 2 5 (Some 4) []; mk 3 5 None [];                                       (* 13 0.5, 14 2.5, 15 3.5 *)
  mk 2 6 (Some 5) par26; mk 0 6 (Some 5) []; mk 1 6 (Some 4) [];                           (* 16 2.6 anchor, 17 0.6, 18 1.6 *)
  mk 0 7 (Some 6) [(2, 6)]; mk 2 7 (Some 6) [(2, 6)]; mk 3 7 None [(2, 6)] ].              (* 19 0.7, 20 2.7, 21 3.7 *)
Definition dense26 : list name := [(0, 5); (2, 5); (3, 5)].
Definition T_good := table [(1, 2)] 3 (Some 4) dense26.
Definition sees_12 := [0; 1; 2; 3; 4; 5; 6; 7; 9].
Definition not_12 := [0; 3; 10; 13; 2; 5; 8; 12; 14; 15; 16; 17; 19; 20; 21].   (* what 2.6 names, without 0.3 and 1.2 *)
Definition P_good := par ld 3 3 3 false all_on.

(* The unbroken rules: node 5 orders 1.2, then 2.6; node 6 orders 2.6 alone and takes 1.2 with it; node 7 takes over 5's
   first entry, accepts the rest on top of it, forgets rounds up to 2, and orders 2.6. All deliver the same. *)
Example good_legal : CLegal P_good.
Proof. apply laws_legal. reflexivity. Qed.
Definition good_run : list event := both T_good (seq 0 22) ++ watch T_good 5 (seq 0 22) 4 ++ [EAdopt 7 5 1]
  ++ watch T_good 5 (seq 0 22) 16 ++ watch T_good 6 (seq 0 22) 16 ++ watch T_good 7 (seq 0 22) 16 ++ [EFloor 7 4].
Example good_orders : let s := play P_good T_good good_run in
  (anchors (VT := tb T_good) (log s 5), ledger (VT := tb T_good) (log s 5)) = ([4; 16], [0; 1; 2; 4; 10; 12; 13; 14; 15; 16])
  /\ log s 6 = log s 5 /\ log s 7 = log s 5 /\ flr s 7 = 4.
Proof. vm_compute. repeat split. Qed.

Theorem fork_late : breaks (par ld 3 3 3 false (mkflags true true false true true true true)) 5 /\
  fork (par ld 3 3 3 false (mkflags true true false true true true true)) (tb (table [(1, 2)] 2 (Some 4) dense26)).
Proof.
  split; [reflexivity|]. set (t := table _ _ _ _).   (* 0.3 is certified after 0.4, which therefore names 0.2 *)
  apply (parts_fork _ t (both t [0; 1; 2; 3; 4; 5] ++ propose t 6 ++ both t (seq 7 15) ++ certified t 6
    ++ watch t 5 sees_12 4 ++ watch t 6 not_12 16)). vm_compute. reflexivity.
Qed.
Theorem fork_self : breaks (par ld 3 3 3 false (mkflags true false true true true true true)) 4 /\
  fork (par ld 3 3 3 false (mkflags true false true true true true true)) (tb (table [(1, 2)] 3 None dense26)).
Proof.
  split; [reflexivity|]. set (t := table _ _ _ _).
  apply (parts_fork _ t (both t (seq 0 22) ++ watch t 5 sees_12 4 ++ watch t 6 not_12 16)). vm_compute. reflexivity.
Qed.
Theorem fork_thin : breaks (par ld 3 1 3 false all_on) 2 /\
  fork (par ld 3 1 3 false all_on) (tb (table [(1, 2)] 3 (Some 4) [(2, 5)])).
Proof.
  split; [reflexivity|]. set (t := table _ _ _ _).
  apply (parts_fork _ t (both t (seq 0 22) ++ watch t 5 sees_12 4 ++ watch t 6 (seq 0 22) 16)). vm_compute. reflexivity.
Qed.
Theorem fork_few : breaks (par ld 3 3 2 false all_on) 2 /\
  fork (par ld 3 3 2 false all_on) (tb (table [] 3 (Some 4) dense26)).
Proof.
  split; [reflexivity|]. set (t := table _ _ _ _).
  apply (parts_fork _ t (both t (seq 0 22) ++ watch t 5 sees_12 4 ++ watch t 6 (6 :: not_12 ++ [6; 10; 13; 16; 17; 19; 20; 21]) 16)).
  vm_compute. reflexivity.
Qed.
Theorem fork_closed : breaks (par ld 3 3 3 false (mkflags true true true false true true true)) 6 /\
  fork (par ld 3 3 3 false (mkflags true true true false true true true)) (tb T_good).
Proof.
  split; [reflexivity|].
  apply (parts_fork _ T_good (both T_good (seq 0 22) ++ watch T_good 5 sees_12 4 ++ watch T_good 6 [16; 19; 20; 21] 16)).
  vm_compute. reflexivity.
Qed.
Theorem fork_floor : breaks (par ld 3 3 3 false (mkflags true true true true false true true)) 7 /\
  fork (par ld 3 3 3 false (mkflags true true true true false true true)) (tb T_good).
Proof.
  split; [reflexivity|].
  apply (parts_fork _ T_good (both T_good (seq 0 22) ++ watch T_good 5 sees_12 4 ++ [EFloor 6 5]
    ++ watch T_good 6 [16; 17; 19; 20; 21] 16)). vm_compute. reflexivity.
Qed.
(* two vertices of the Byzantine leader of round 2, with one name *)
Definition ld3 := [9; 9; 3; 9].
Definition T_twins : list row := [
  mk 0 1 None []; mk 1 1 None []; mk 2 1 None []; mk 3 2 None (n3 1); mk 3 2 None (n3 1);       (* 3, 4: the twins *)
  mk 0 2 (Some 1) []; mk 1 2 (Some 1) []; mk 2 2 (Some 1) [];
  mk 0 3 (Some 2) [(3, 2)]; mk 1 3 (Some 2) [(3, 2)]; mk 2 3 (Some 2) [(3, 2)] ].
Definition twin_seen (i : nat) := [0; 1; 2; i; 5; 6; 7; 8; 9; 10].
Theorem fork_certify : breaks (par ld3 2 3 3 false all_on) 1 /\ fork (par ld3 2 3 3 false all_on) (tb T_twins).
Proof.
  split; [reflexivity|]. set (t := T_twins).
  apply (parts_fork _ t (both t [0; 1; 2] ++ flat_map (fun e => vote t (fst e) (snd e)) [(0, 3); (3, 3); (1, 4); (3, 4)] ++ certified t 3 ++ certified t 4
    ++ both t (seq 5 6) ++ watch t 5 (twin_seen 3) 3 ++ watch t 6 (twin_seen 4) 4)). vm_compute. reflexivity.
Qed.
Theorem fork_rising : breaks (par ld3 3 3 3 false (mkflags false true true true true true true)) 3 /\
  fork (par ld3 3 3 3 false (mkflags false true true true true true true)) (tb T_twins).
Proof.
  split; [reflexivity|]. set (t := T_twins).
  apply (parts_fork _ t (both t (seq 0 11) ++ watch t 5 (twin_seen 3) 3 ++ watch t 6 (twin_seen 4) 4)).
  vm_compute. reflexivity.
Qed.
(* `bullshark`: every vertex dense, f+1 votes commit; one vote does not do *)
Definition ld2 := [9; 9; 1; 9; 2; 9].
Definition n0 (r : nat) : list name := [(0, r); (2, r); (3, r)].
Definition T_dense : list row := [
  mk 0 1 None []; mk 1 1 None []; mk 2 1 None []; mk 3 1 None [];
  mk 0 2 (Some 1) (n3 1); mk 1 2 (Some 1) (n3 1); mk 2 2 (Some 1) (n3 1); mk 3 2 None (n3 1);   (* 5 1.2 anchor *)
  mk 0 3 (Some 2) (n0 2); mk 1 3 (Some 2) (n3 2); mk 2 3 (Some 2) (n0 2); mk 3 3 None (n0 2);
  mk 0 4 (Some 3) (n0 3); mk 1 4 (Some 3) (n3 3); mk 2 4 (Some 3) (n0 3);                       (* 14 2.4 anchor *)
  mk 0 5 (Some 4) (n3 4); mk 1 5 (Some 4) (n3 4) ].
Definition dense_run := both T_dense (seq 0 17) ++ watch T_dense 5 (seq 0 17) 5 ++ watch T_dense 6 (seq 0 17) 14.
Theorem fork_dense : breaks (par ld2 3 3 1 true all_on) 2 /\ fork (par ld2 3 3 1 true all_on) (tb T_dense).
Proof. split; [reflexivity|]. apply (parts_fork _ T_dense dense_run). vm_compute. reflexivity. Qed.
Theorem bullshark_legal : CLegal (par ld2 3 3 2 true all_on).
Proof. apply laws_legal. reflexivity. Qed.
Example bullshark_orders : let s := play (par ld2 3 3 2 true all_on) T_dense dense_run in
  first T_dense s 5 = [] /\ first T_dense s 6 = [14].
Proof. vm_compute. auto. Qed.

(* without the gate a node runs ahead alone; without the check of names a certificate proves nothing about them *)
Definition T_ahead : list row := [mk 0 1 None []; mk 1 1 None []; mk 2 1 None []; mk 0 3 (Some 1) []].
Theorem gap_gate : breaks (par ld 3 3 3 false (mkflags true true true true true false true)) 8 /\
  ahead (par ld 3 3 3 false (mkflags true true true true true false true)) T_ahead (both T_ahead (seq 0 4)) 3 2 = true.
Proof. vm_compute. auto. Qed.
Definition T_ghost : list row := [mk 0 1 None []; mk 1 1 None []; mk 2 1 None []; mk 0 2 (Some 1) [(3, 1)]].
Theorem ghost_refs : breaks (par ld 3 3 3 false (mkflags true true true true true true false)) 9 /\
  ghost (par ld 3 3 3 false (mkflags true true true true true true false)) T_ghost (both T_ghost (seq 0 4)) 3 (3, 1) = true.
Proof. vm_compute. auto. Qed.
Print Assumptions no_fork.
Print Assumptions good_orders.
Print Assumptions fork_late.
Print Assumptions fork_self.
Print Assumptions fork_thin.
Print Assumptions fork_few.
Print Assumptions fork_closed.
Print Assumptions fork_floor.
Print Assumptions fork_certify.
Print Assumptions fork_rising.
Print Assumptions fork_dense.
Print Assumptions bullshark_legal.
Print Assumptions bullshark_orders.
Print Assumptions gap_gate.
Print Assumptions ghost_refs.
