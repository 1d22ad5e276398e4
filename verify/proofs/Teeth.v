(* Teeth: the unbroken rule decides something (so the theorems are not vacuous), and with any one
   hypothesis removed, all others kept, there is a concrete run with a fork. n = 4, f = 1, node 3 Byzantine.
   Tables written by gen_teeth.py; every statement is checked by computation inside Coq. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof Spec.

Record row := mkrow { ra : nat; rr : nat; rs : option nat; rv : option nat; rc : option nat; rp : list nat }.
Definition at_ (t : list row) (i : nat) : row := nth i t (mkrow 99 0 None None None []).
(* block i = row i of the table: author, round, self, vote, claim, dense parents *)
Definition tb (t : list row) : Blocks := {|
  Blk := nat; beq_dec := Nat.eq_dec;
  author i := ra (at_ t i); round i := rr (at_ t i); self i := rs (at_ t i);
  vote i := rv (at_ t i); claim i := rc (at_ t i); parents i := rp (at_ t i) |}.

Definition par v b c d a g rd rs rc st wa : Params := {|
  N := 4; wt := fun _ => 1; Model.f := 1; Model.v := v; Model.b := b; Model.c := c; Model.d := d;
  Model.a := a; byz := fun p => p =? 3; gap := g;
  rule_dense := rd; rule_self := rs; rule_check := rc; rule_stop := st; rule_wait := wa |}.
(* the schedule: leader of round r = entry r of the list *)
Definition sch (t : list row) (ld : list nat) (r : nat) (L : @Blk (tb t)) : bool := @author (tb t) L =? nth r ld 9.

(* the hypotheses as booleans: 0 byz_le, 1 A1, 2 A2, 3 A3, 4 Aa, 5 Ad, 6 gap, 7 dense, 8 self,
   9 check, 10 stop, 11 wait *)
Definition laws (P : Params) : list bool :=
  let tot := @total P in
  [ wsum wt byz N <=? f; tot + f + 1 <=? v + v; tot + f + 1 <=? v + b; tot + f + 1 <=? c + d;
    f + 1 <=? a; d <=? tot; 3 <=? gap; rule_dense; rule_self; rule_check; rule_stop; rule_wait ].
Definition breaks (P : Params) (k : nat) : Prop :=
  laws P = map (fun i => negb (i =? k)) (seq 0 12).
Lemma laws_legal P : laws P = repeat true 12 -> Legal P.
Proof.
  intros H. cbv [laws repeat] in H. injection H as H0 H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11.
  constructor; try apply Nat.leb_le; assumption.
Qed.

(* two nodes of one run decide a slot differently *)
Definition fork (P : Params) (BT : Blocks) : Prop :=
  exists (g : nat -> Blk -> bool) (s : state) (p q top r : nat), reach s /\
    decide g (view_of s p) top r <> Undecided /\ decide g (view_of s q) top r <> Undecided /\
    decide g (view_of s p) top r <> decide g (view_of s q) top r.
Theorem no_fork P BT : Legal P -> ~ fork P BT.
Proof.
  intros HL (g & s & p & q & top & r & HR & H1 & H2 & H3). apply H3.
  apply (agreement_nodes g s s s); auto; exists []; reflexivity.
Qed.

(* The run: every block is signed in table order and pushed to all four members, who accept it if they may;
   observers 5 and 6 hold only the given blocks. *)
Section Play.
Variable P : Params.
Variable t : list row.
Variable ld : list nat.
#[local] Existing Instance P | 0.
#[local] Instance BT : Blocks := tb t.
Definition step (s : state) (e : event) : list event := match exec s e with Some _ => [e] | None => [] end.
Fixpoint play (s : state) (es : list (bool * event)) : option state :=   (* true: must succeed *)
  match es with
  | [] => Some s
  | (must, e) :: u => match exec s e with
                      | Some s' => play s' u | None => if must then None else play s u end
  end.
Lemma play_run : forall es s s', play s es = Some s' -> exists l, run s l = Some s'.
Proof.
  induction es as [|[m e] u IH]; simpl; intros s s' H; [exists []; auto|].
  destruct (exec s e) as [s1|] eqn:E.
  - destruct (IH _ _ H) as [l Hl]. exists (e :: l). simpl. now rewrite E.
  - destruct m; [discriminate|]. auto.
Qed.
Definition sign (i : nat) : bool * event := (true, if byz (@author BT i) then EByz (i : @Blk BT) else ESign (i : @Blk BT)).
Definition push (p i : nat) : list (bool * event) := [(true, ERecv p (i : @Blk BT)); (false, EAccept p (i : @Blk BT))].
Definition script (X Y : list nat) : list (bool * event) :=
  flat_map (fun i => sign i :: flat_map (fun p => push p i) [0; 1; 2; 3]) (seq 0 (length t))
  ++ flat_map (fun i => [(true, ERecv 5 (i : @Blk BT))]) X ++ flat_map (fun i => [(false, EAccept 5 (i : @Blk BT))]) X
  ++ flat_map (fun i => [(true, ERecv 6 (i : @Blk BT))]) Y ++ flat_map (fun i => [(false, EAccept 6 (i : @Blk BT))]) Y.
Inductive stat := XU | XS | XC (i : nat).
Definition of (x : status) : stat := match x with Undecided => XU | Skip => XS | Commit i => XC i end.
Definition statb (X : list nat) (top r : nat) : option stat :=
  match play init (script X []) with Some s => Some (of (decide (sch t ld) (view_of s 5) top r)) | None => None end.
Definition forkb (X Y : list nat) (top r : nat) : option (stat * stat) :=
  match play init (script X Y) with
  | Some s => Some (of (decide (sch t ld) (view_of s 5) top r), of (decide (sch t ld) (view_of s 6) top r))
  | None => None end.
Lemma forkb_fork X Y top r x y :
  (forkb X Y top r = Some (x, y)) ->
  match x, y with XC i, XC j => negb (i =? j) | XS, XC _ | XC _, XS => true | _, _ => false end = true ->
  fork P BT.
Proof.
  unfold forkb. destruct (play init (script X Y)) as [s|] eqn:E; [|discriminate].
  intros H H'. inversion H as [[H1 H2]]. exists (sch t ld), s, 5, 6, top, r. split.
  { destruct (play_run _ _ _ E) as [l Hl]. exists l. auto. }
  rewrite <- H1, <- H2 in H'. clear - H'. unfold BT in *.
  destruct (decide (sch t ld) (view_of s 5) top r) as [| |i], (decide (sch t ld) (view_of s 6) top r) as [| |j];
    simpl in H'; try discriminate; repeat split; try discriminate.
  all: apply negb_true_iff, Nat.eqb_neq in H'; intros C; apply H'; congruence.
Qed.
End Play.

(* The unbroken rule, all hypotheses hold: direct commits, a direct skip, indirect commit and skip. *)
Definition T_good : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2]  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) (Some 4) (Some 0) []  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) (Some 4) (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) (Some 4) (Some 0) [3; 4; 5]  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 8) (Some 4) []  (* 9: 0.4 *);
  mkrow 1 4 (Some 7) (Some 8) (Some 4) []  (* 10: 1.4 *);
  mkrow 2 4 (Some 8) (Some 8) (Some 4) []  (* 11: 2.4 *);
  mkrow 0 5 (Some 9) None (Some 8) [9; 10; 11]  (* 12: 0.5 *);
  mkrow 1 5 (Some 10) None (Some 8) []  (* 13: 1.5 *);
  mkrow 2 5 (Some 11) None (Some 8) []  (* 14: 2.5 *);
  mkrow 0 6 (Some 12) (Some 12) None []  (* 15: 0.6 *);
  mkrow 1 6 (Some 13) (Some 12) None [12; 13; 14]  (* 16: 1.6 *);
  mkrow 2 6 (Some 14) (Some 12) None []  (* 17: 2.6 *);
  mkrow 0 7 (Some 15) (Some 16) (Some 12) []  (* 18: 0.7 *);
  mkrow 1 7 (Some 16) (Some 16) (Some 12) []  (* 19: 1.7 *);
  mkrow 2 7 (Some 17) (Some 16) (Some 12) [15; 16; 17]  (* 20: 2.7 *);
  mkrow 0 8 (Some 18) (Some 20) (Some 16) []  (* 21: 0.8 *);
  mkrow 1 8 (Some 19) (Some 20) (Some 16) []  (* 22: 1.8 *);
  mkrow 2 8 (Some 20) (Some 20) (Some 16) []  (* 23: 2.8 *);
  mkrow 0 9 (Some 21) None (Some 20) [21; 22; 23]  (* 24: 0.9 *);
  mkrow 1 9 (Some 22) None (Some 20) []  (* 25: 1.9 *);
  mkrow 2 9 (Some 23) None (Some 20) []  (* 26: 2.9 *)].
Definition P_good : Params := par 3 3 3 3 2 3 true true true true true.
Example good_1 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26] 9 1 = Some (XC 0).
Proof. vm_compute. reflexivity. Qed.
Example good_2 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26] 9 2 = Some (XC 4).
Proof. vm_compute. reflexivity. Qed.
Example good_3 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26] 9 3 = Some (XC 8).
Proof. vm_compute. reflexivity. Qed.
Example good_4 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26] 9 4 = Some XS.
Proof. vm_compute. reflexivity. Qed.
Example good_5 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26] 9 5 = Some (XC 12).
Proof. vm_compute. reflexivity. Qed.
Example good_6 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26] 9 8 = Some XS.
Proof. vm_compute. reflexivity. Qed.
Example good_7 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11; 12; 13; 14; 15; 16; 17; 18; 19; 20; 21; 22; 23; 24; 25; 26] 9 9 = Some XU.
Proof. vm_compute. reflexivity. Qed.
Example good_8 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [6; 7; 8] 9 1 = Some (XC 0).
Proof. vm_compute. reflexivity. Qed.
Example good_9 : statb P_good T_good [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [6; 7] 9 1 = Some XU.
Proof. vm_compute. reflexivity. Qed.

(* The unbroken rule deciding indirectly: one claim in the anchor's history commits slot 1; a slot with no claim there is skipped; without slot 4 the search stops. *)
Definition T_indirect : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) None None []  (* 7: 3.2 *);
  mkrow 0 3 (Some 4) None None []  (* 8: 0.3 *);
  mkrow 1 3 (Some 5) None None [4; 5; 6; 7]  (* 9: 1.3 *);
  mkrow 2 3 (Some 6) None (Some 0) []  (* 10: 2.3 *);
  mkrow 3 3 (Some 7) None None []  (* 11: 3.3 *);
  mkrow 0 4 (Some 8) None None []  (* 12: 0.4 *);
  mkrow 1 4 (Some 9) None None []  (* 13: 1.4 *);
  mkrow 2 4 (Some 10) None None [8; 9; 10]  (* 14: 2.4 *);
  mkrow 3 4 (Some 11) None None []  (* 15: 3.4 *);
  mkrow 3 5 (Some 15) None None [12; 13; 15]  (* 16: 3.5 *);
  mkrow 0 5 (Some 12) (Some 14) None []  (* 17: 0.5 *);
  mkrow 1 5 (Some 13) (Some 14) None []  (* 18: 1.5 *);
  mkrow 2 5 (Some 14) (Some 14) None []  (* 19: 2.5 *);
  mkrow 0 6 (Some 17) (Some 16) (Some 14) [17; 18; 19]  (* 20: 0.6 *);
  mkrow 1 6 (Some 18) (Some 16) (Some 14) []  (* 21: 1.6 *);
  mkrow 2 6 (Some 19) (Some 16) (Some 14) []  (* 22: 2.6 *);
  mkrow 0 7 (Some 20) None (Some 16) []  (* 23: 0.7 *);
  mkrow 1 7 (Some 21) None (Some 16) [20; 21; 22]  (* 24: 1.7 *);
  mkrow 2 7 (Some 22) None (Some 16) []  (* 25: 2.7 *)].
Definition P_indirect : Params := par 3 3 3 3 2 3 true true true true true.
Example indirect_1 : statb P_indirect T_indirect [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 14; 20; 21; 22] 9 4 = Some (XC 14).
Proof. vm_compute. reflexivity. Qed.
Example indirect_2 : statb P_indirect T_indirect [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 14; 20; 21; 22] 9 1 = Some (XC 0).
Proof. vm_compute. reflexivity. Qed.
Example indirect_3 : statb P_indirect T_indirect [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 11; 12; 13; 15; 16; 23; 24; 25] 9 5 = Some (XC 16).
Proof. vm_compute. reflexivity. Qed.
Example indirect_4 : statb P_indirect T_indirect [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 11; 12; 13; 15; 16; 23; 24; 25] 9 4 = Some XU.
Proof. vm_compute. reflexivity. Qed.
Example indirect_5 : statb P_indirect T_indirect [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 11; 12; 13; 15; 16; 23; 24; 25] 9 1 = Some XU.
Proof. vm_compute. reflexivity. Qed.
Example indirect_6 : statb P_indirect T_indirect [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 11; 12; 13; 15; 16; 23; 24; 25] 9 2 = Some XS.
Proof. vm_compute. reflexivity. Qed.

(* Leader not dense: d = 1 (c+d < n+f+1). A Byzantine leader lists only itself and misses every claim. *)
Definition T_density : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) None None []  (* 7: 3.2 *);
  mkrow 0 3 (Some 4) None (Some 0) []  (* 8: 0.3 *);
  mkrow 1 3 (Some 5) None (Some 0) []  (* 9: 1.3 *);
  mkrow 2 3 (Some 6) None (Some 0) [4; 5; 6; 7]  (* 10: 2.3 *);
  mkrow 3 3 (Some 7) None None []  (* 11: 3.3 *);
  mkrow 3 4 (Some 11) None None [11]  (* 12: 3.4 *);
  mkrow 0 4 (Some 8) None None []  (* 13: 0.4 *);
  mkrow 1 4 (Some 9) None None []  (* 14: 1.4 *);
  mkrow 2 4 (Some 10) None None []  (* 15: 2.4 *);
  mkrow 0 5 (Some 13) (Some 12) None [12; 13; 14; 15]  (* 16: 0.5 *);
  mkrow 1 5 (Some 14) (Some 12) None []  (* 17: 1.5 *);
  mkrow 2 5 (Some 15) (Some 12) None []  (* 18: 2.5 *);
  mkrow 0 6 (Some 16) None (Some 12) []  (* 19: 0.6 *);
  mkrow 1 6 (Some 17) None (Some 12) [16; 17; 18]  (* 20: 1.6 *);
  mkrow 2 6 (Some 18) None (Some 12) []  (* 21: 2.6 *)].
Definition P_density : Params := par 3 3 3 1 2 3 true true true true true.
Theorem fork_density : breaks P_density 3 /\ fork P_density (tb T_density).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_density T_density [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [8; 9; 10] [3; 7; 11; 12; 19; 20; 21] 9 1 (XC 0) XS); vm_compute; reflexivity.
Qed.

(* Correct nodes vote for a leader block that is not dense: the same run with d = 3. *)
Definition T_votedense : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) None None []  (* 7: 3.2 *);
  mkrow 0 3 (Some 4) None (Some 0) []  (* 8: 0.3 *);
  mkrow 1 3 (Some 5) None (Some 0) []  (* 9: 1.3 *);
  mkrow 2 3 (Some 6) None (Some 0) [4; 5; 6; 7]  (* 10: 2.3 *);
  mkrow 3 3 (Some 7) None None []  (* 11: 3.3 *);
  mkrow 3 4 (Some 11) None None [11]  (* 12: 3.4 *);
  mkrow 0 4 (Some 8) None None []  (* 13: 0.4 *);
  mkrow 1 4 (Some 9) None None []  (* 14: 1.4 *);
  mkrow 2 4 (Some 10) None None []  (* 15: 2.4 *);
  mkrow 0 5 (Some 13) (Some 12) None [12; 13; 14; 15]  (* 16: 0.5 *);
  mkrow 1 5 (Some 14) (Some 12) None []  (* 17: 1.5 *);
  mkrow 2 5 (Some 15) (Some 12) None []  (* 18: 2.5 *);
  mkrow 0 6 (Some 16) None (Some 12) []  (* 19: 0.6 *);
  mkrow 1 6 (Some 17) None (Some 12) [16; 17; 18]  (* 20: 1.6 *);
  mkrow 2 6 (Some 18) None (Some 12) []  (* 21: 2.6 *)].
Definition P_votedense : Params := par 3 3 3 3 2 3 false true true true true.
Theorem fork_votedense : breaks P_votedense 7 /\ fork P_votedense (tb T_votedense).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_votedense T_votedense [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [8; 9; 10] [3; 7; 11; 12; 19; 20; 21] 9 1 (XC 0) XS); vm_compute; reflexivity.
Qed.

(* No self edges: the dense parents of slot 5's leader do not lead to the claims of round 3. *)
Definition T_selfedge : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2]  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) None (Some 0) []  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) None (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) None (Some 0) [3; 4; 5]  (* 8: 2.3 *);
  mkrow 0 4 None None None []  (* 9: 0.4 *);
  mkrow 1 4 None None None []  (* 10: 1.4 *);
  mkrow 2 4 None None None []  (* 11: 2.4 *);
  mkrow 0 5 None None None [9; 10; 11]  (* 12: 0.5 *);
  mkrow 1 5 None None None []  (* 13: 1.5 *);
  mkrow 2 5 None None None []  (* 14: 2.5 *);
  mkrow 0 6 (Some 12) (Some 12) None []  (* 15: 0.6 *);
  mkrow 1 6 (Some 13) (Some 12) None [12; 13; 14]  (* 16: 1.6 *);
  mkrow 2 6 (Some 14) (Some 12) None []  (* 17: 2.6 *);
  mkrow 0 7 (Some 15) None (Some 12) []  (* 18: 0.7 *);
  mkrow 1 7 (Some 16) None (Some 12) []  (* 19: 1.7 *);
  mkrow 2 7 (Some 17) None (Some 12) [15; 16; 17]  (* 20: 2.7 *)].
Definition P_selfedge : Params := par 3 3 3 3 2 3 true false true true true.
Theorem fork_selfedge : breaks P_selfedge 8 /\ fork P_selfedge (tb T_selfedge).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_selfedge T_selfedge [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [6; 7; 8] [9; 10; 11; 12; 13; 14; 18; 19; 20] 9 1 (XC 0) XS); vm_compute; reflexivity.
Qed.

(* Anchors from r+2: the leader of round 3 cannot see the claims of round 3. *)
Definition T_gap : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 6: 2.2 *);
  mkrow 0 3 (Some 4) None (Some 0) []  (* 7: 0.3 *);
  mkrow 1 3 (Some 5) None (Some 0) []  (* 8: 1.3 *);
  mkrow 2 3 (Some 6) None None [4; 5; 6]  (* 9: 2.3 *);
  mkrow 3 3 (Some 3) None (Some 0) []  (* 10: 3.3 *);
  mkrow 0 4 (Some 7) (Some 9) None []  (* 11: 0.4 *);
  mkrow 1 4 (Some 8) (Some 9) None []  (* 12: 1.4 *);
  mkrow 2 4 (Some 9) (Some 9) None []  (* 13: 2.4 *);
  mkrow 0 5 (Some 11) None (Some 9) [11; 12; 13]  (* 14: 0.5 *);
  mkrow 1 5 (Some 12) None (Some 9) []  (* 15: 1.5 *);
  mkrow 2 5 (Some 13) None (Some 9) []  (* 16: 2.5 *)].
Definition P_gap : Params := par 3 3 3 3 2 2 true true true true true.
Theorem fork_gap : breaks P_gap 6 /\ fork P_gap (tb T_gap).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_gap T_gap [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [7; 8; 10] [0; 1; 2; 3; 4; 5; 6; 9; 14; 15; 16] 9 1 (XC 0) XS); vm_compute; reflexivity.
Qed.

(* Undecided slots ignored in the anchor search: one view uses slot 4, the other jumps over it to slot 5. *)
Definition T_stop : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) None None []  (* 7: 3.2 *);
  mkrow 0 3 (Some 4) None None []  (* 8: 0.3 *);
  mkrow 1 3 (Some 5) None None [4; 5; 6; 7]  (* 9: 1.3 *);
  mkrow 2 3 (Some 6) None (Some 0) []  (* 10: 2.3 *);
  mkrow 3 3 (Some 7) None None []  (* 11: 3.3 *);
  mkrow 0 4 (Some 8) None None []  (* 12: 0.4 *);
  mkrow 1 4 (Some 9) None None []  (* 13: 1.4 *);
  mkrow 2 4 (Some 10) None None [8; 9; 10]  (* 14: 2.4 *);
  mkrow 3 4 (Some 11) None None []  (* 15: 3.4 *);
  mkrow 3 5 (Some 15) None None [12; 13; 15]  (* 16: 3.5 *);
  mkrow 0 5 (Some 12) (Some 14) None []  (* 17: 0.5 *);
  mkrow 1 5 (Some 13) (Some 14) None []  (* 18: 1.5 *);
  mkrow 2 5 (Some 14) (Some 14) None []  (* 19: 2.5 *);
  mkrow 0 6 (Some 17) (Some 16) (Some 14) [17; 18; 19]  (* 20: 0.6 *);
  mkrow 1 6 (Some 18) (Some 16) (Some 14) []  (* 21: 1.6 *);
  mkrow 2 6 (Some 19) (Some 16) (Some 14) []  (* 22: 2.6 *);
  mkrow 0 7 (Some 20) None (Some 16) []  (* 23: 0.7 *);
  mkrow 1 7 (Some 21) None (Some 16) [20; 21; 22]  (* 24: 1.7 *);
  mkrow 2 7 (Some 22) None (Some 16) []  (* 25: 2.7 *)].
Definition P_stop : Params := par 3 3 3 3 2 3 true true true false true.
Theorem fork_stop : breaks P_stop 10 /\ fork P_stop (tb T_stop).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_stop T_stop [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 14; 20; 21; 22] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 11; 12; 13; 15; 16; 23; 24; 25] 9 1 (XC 0) XS); vm_compute; reflexivity.
Qed.

(* The first ACCEPTED commit taken as anchor: a view that holds slot 4's claims but not its block jumps over it to slot 5. *)
Definition T_wait : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) None None []  (* 7: 3.2 *);
  mkrow 0 3 (Some 4) None None []  (* 8: 0.3 *);
  mkrow 1 3 (Some 5) None None [4; 5; 6; 7]  (* 9: 1.3 *);
  mkrow 2 3 (Some 6) None (Some 0) []  (* 10: 2.3 *);
  mkrow 3 3 (Some 7) None None []  (* 11: 3.3 *);
  mkrow 0 4 (Some 8) None None []  (* 12: 0.4 *);
  mkrow 1 4 (Some 9) None None []  (* 13: 1.4 *);
  mkrow 2 4 (Some 10) None None [8; 9; 10]  (* 14: 2.4 *);
  mkrow 3 4 (Some 11) None None []  (* 15: 3.4 *);
  mkrow 3 5 (Some 15) None None [12; 13; 15]  (* 16: 3.5 *);
  mkrow 0 5 (Some 12) (Some 14) None []  (* 17: 0.5 *);
  mkrow 1 5 (Some 13) (Some 14) None []  (* 18: 1.5 *);
  mkrow 2 5 (Some 14) (Some 14) None []  (* 19: 2.5 *);
  mkrow 0 6 (Some 17) (Some 16) (Some 14) [17; 18; 19]  (* 20: 0.6 *);
  mkrow 1 6 (Some 18) (Some 16) (Some 14) []  (* 21: 1.6 *);
  mkrow 2 6 (Some 19) (Some 16) (Some 14) []  (* 22: 2.6 *);
  mkrow 0 7 (Some 20) None (Some 16) []  (* 23: 0.7 *);
  mkrow 1 7 (Some 21) None (Some 16) [20; 21; 22]  (* 24: 1.7 *);
  mkrow 2 7 (Some 22) None (Some 16) []  (* 25: 2.7 *)].
Definition P_wait : Params := par 3 3 3 3 2 3 true true true true false.
Theorem fork_wait : breaks P_wait 11 /\ fork P_wait (tb T_wait).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_wait T_wait [0; 0; 1; 1; 2; 3; 0; 1] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 14; 20; 21; 22] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 11; 12; 13; 15; 16; 20; 21; 22; 23; 24; 25] 9 1 (XC 0) XS); vm_compute; reflexivity.
Qed.

(* Claims not checked by receivers: a Byzantine lie in the anchor's history revives a skipped block. *)
Definition T_check : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) None None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) None None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) None None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) (Some 0) None []  (* 7: 3.2 *);
  mkrow 0 3 (Some 4) None None []  (* 8: 0.3 *);
  mkrow 1 3 (Some 5) None None []  (* 9: 1.3 *);
  mkrow 2 3 (Some 6) None None [4; 5; 6; 7]  (* 10: 2.3 *);
  mkrow 3 3 (Some 7) None (Some 0) []  (* 11: 3.3 *);
  mkrow 3 4 (Some 11) None None [8; 9; 11]  (* 12: 3.4 *);
  mkrow 0 4 (Some 8) None None []  (* 13: 0.4 *);
  mkrow 1 4 (Some 9) None None []  (* 14: 1.4 *);
  mkrow 2 4 (Some 10) None None []  (* 15: 2.4 *);
  mkrow 0 5 (Some 13) (Some 12) None [12; 13; 14; 15]  (* 16: 0.5 *);
  mkrow 1 5 (Some 14) (Some 12) None []  (* 17: 1.5 *);
  mkrow 2 5 (Some 15) (Some 12) None []  (* 18: 2.5 *);
  mkrow 0 6 (Some 16) None (Some 12) []  (* 19: 0.6 *);
  mkrow 1 6 (Some 17) None (Some 12) [16; 17; 18]  (* 20: 1.6 *);
  mkrow 2 6 (Some 18) None (Some 12) []  (* 21: 2.6 *)].
Definition P_check : Params := par 3 3 3 3 2 3 true true false true true.
Theorem fork_check : breaks P_check 9 /\ fork P_check (tb T_check).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_check T_check [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [4; 5; 6] [0; 1; 2; 3; 4; 5; 7; 8; 9; 11; 12; 19; 20; 21] 9 1 XS (XC 0)); vm_compute; reflexivity.
Qed.

(* Amplification at f instead of f+1 claims: the same lie is its own evidence. *)
Definition T_amplify : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) None None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) None None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) None None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) (Some 0) None []  (* 7: 3.2 *);
  mkrow 0 3 (Some 4) None None []  (* 8: 0.3 *);
  mkrow 1 3 (Some 5) None None []  (* 9: 1.3 *);
  mkrow 2 3 (Some 6) None None [4; 5; 6; 7]  (* 10: 2.3 *);
  mkrow 3 3 (Some 7) None (Some 0) []  (* 11: 3.3 *);
  mkrow 3 4 (Some 11) None None [8; 9; 11]  (* 12: 3.4 *);
  mkrow 0 4 (Some 8) None None []  (* 13: 0.4 *);
  mkrow 1 4 (Some 9) None None []  (* 14: 1.4 *);
  mkrow 2 4 (Some 10) None None []  (* 15: 2.4 *);
  mkrow 0 5 (Some 13) (Some 12) None [12; 13; 14; 15]  (* 16: 0.5 *);
  mkrow 1 5 (Some 14) (Some 12) None []  (* 17: 1.5 *);
  mkrow 2 5 (Some 15) (Some 12) None []  (* 18: 2.5 *);
  mkrow 0 6 (Some 16) None (Some 12) []  (* 19: 0.6 *);
  mkrow 1 6 (Some 17) None (Some 12) [16; 17; 18]  (* 20: 1.6 *);
  mkrow 2 6 (Some 18) None (Some 12) []  (* 21: 2.6 *)].
Definition P_amplify : Params := par 3 3 3 3 1 3 true true true true true.
Theorem fork_amplify : breaks P_amplify 4 /\ fork P_amplify (tb T_amplify).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_amplify T_amplify [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [4; 5; 6] [0; 1; 2; 3; 4; 5; 7; 8; 9; 11; 12; 19; 20; 21] 9 1 XS (XC 0)); vm_compute; reflexivity.
Qed.

(* c = 2f claims commit (c+d < n+f+1): one correct claimer can be left out of the parents. *)
Definition T_c2f : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None []  (* 6: 2.2 *);
  mkrow 0 3 (Some 4) None (Some 0) []  (* 7: 0.3 *);
  mkrow 1 3 (Some 5) None None []  (* 8: 1.3 *);
  mkrow 2 3 (Some 6) None None [4; 5; 6]  (* 9: 2.3 *);
  mkrow 3 3 (Some 3) None (Some 0) []  (* 10: 3.3 *);
  mkrow 3 3 (Some 3) None None []  (* 11: 3.3' *);
  mkrow 3 4 (Some 11) None None [8; 9; 11]  (* 12: 3.4 *);
  mkrow 0 4 (Some 7) None None []  (* 13: 0.4 *);
  mkrow 1 4 (Some 8) None None []  (* 14: 1.4 *);
  mkrow 2 4 (Some 9) None None []  (* 15: 2.4 *);
  mkrow 0 5 (Some 13) (Some 12) None [12; 13; 14; 15]  (* 16: 0.5 *);
  mkrow 1 5 (Some 14) (Some 12) None []  (* 17: 1.5 *);
  mkrow 2 5 (Some 15) (Some 12) None []  (* 18: 2.5 *);
  mkrow 0 6 (Some 16) None (Some 12) []  (* 19: 0.6 *);
  mkrow 1 6 (Some 17) None (Some 12) [16; 17; 18]  (* 20: 1.6 *);
  mkrow 2 6 (Some 18) None (Some 12) []  (* 21: 2.6 *)].
Definition P_c2f : Params := par 3 3 2 3 2 3 true true true true true.
Theorem fork_c2f : breaks P_c2f 3 /\ fork P_c2f (tb T_c2f).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_c2f T_c2f [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [7; 10] [0; 1; 2; 3; 4; 5; 6; 8; 9; 11; 12; 19; 20; 21] 9 1 (XC 0) XS); vm_compute; reflexivity.
Qed.

(* v = 2f votes certify (2v < n+f+1; b = n keeps v+b legal): two certificates in a slot. *)
Definition T_v2f : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 3 1 None None None []  (* 4: 3.1' *);
  mkrow 0 2 (Some 0) (Some 3) None [0; 1; 2; 3]  (* 5: 0.2 *);
  mkrow 1 2 (Some 1) (Some 3) None []  (* 6: 1.2 *);
  mkrow 2 2 (Some 2) (Some 4) None []  (* 7: 2.2 *);
  mkrow 3 2 (Some 3) (Some 4) None []  (* 8: 3.2 *);
  mkrow 0 3 (Some 5) None (Some 3) []  (* 9: 0.3 *);
  mkrow 1 3 (Some 6) None (Some 3) [5; 6; 7; 8]  (* 10: 1.3 *);
  mkrow 2 3 (Some 7) None (Some 3) []  (* 11: 2.3 *);
  mkrow 3 3 (Some 8) None (Some 4) []  (* 12: 3.3 *);
  mkrow 3 4 (Some 12) None None [9; 10; 12]  (* 13: 3.4 *);
  mkrow 0 4 (Some 9) None None []  (* 14: 0.4 *);
  mkrow 1 4 (Some 10) None None []  (* 15: 1.4 *);
  mkrow 2 4 (Some 11) None None []  (* 16: 2.4 *);
  mkrow 0 5 (Some 14) (Some 13) None [13; 14; 15; 16]  (* 17: 0.5 *);
  mkrow 1 5 (Some 15) (Some 13) None []  (* 18: 1.5 *);
  mkrow 2 5 (Some 16) (Some 13) None []  (* 19: 2.5 *);
  mkrow 0 6 (Some 17) None (Some 13) []  (* 20: 0.6 *);
  mkrow 1 6 (Some 18) None (Some 13) [17; 18; 19]  (* 21: 1.6 *);
  mkrow 2 6 (Some 19) None (Some 13) []  (* 22: 2.6 *)].
Definition P_v2f : Params := par 2 4 3 3 2 3 true true true true true.
Theorem fork_v2f : breaks P_v2f 1 /\ fork P_v2f (tb T_v2f).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_v2f T_v2f [0; 3; 0; 1; 3; 0; 1; 2] [9; 10; 11] [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 12; 13; 20; 21; 22] 9 1 (XC 3) (XC 4)); vm_compute; reflexivity.
Qed.

(* b = 2f dead votes skip (v+b < n+f+1): an equivocating voter is in the certificate and among the dead. *)
Definition T_b2f : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 1 None None None []  (* 3: 3.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None [0; 1; 2; 3]  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) None None []  (* 6: 2.2 *);
  mkrow 3 2 (Some 3) (Some 0) None []  (* 7: 3.2 *);
  mkrow 3 2 (Some 3) None None []  (* 8: 3.2' *);
  mkrow 0 3 (Some 4) None (Some 0) []  (* 9: 0.3 *);
  mkrow 1 3 (Some 5) None (Some 0) []  (* 10: 1.3 *);
  mkrow 2 3 (Some 6) None (Some 0) [4; 5; 6; 7]  (* 11: 2.3 *)].
Definition P_b2f : Params := par 3 2 3 3 2 3 true true true true true.
Theorem fork_b2f : breaks P_b2f 2 /\ fork P_b2f (tb T_b2f).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_b2f T_b2f [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1] [6; 8] [9; 10; 11] 9 1 XS (XC 0)); vm_compute; reflexivity.
Qed.

(* d > n with c = 0: (A1)-(A3) hold, yet one Byzantine claim commits. d <= n (so c >= f+1) is needed for safety. *)
Definition T_dtotal : list row := [
  mkrow 3 1 None None None []  (* 0: 3.1 *);
  mkrow 3 1 None None None []  (* 1: 3.1' *);
  mkrow 3 3 None None (Some 0) []  (* 2: 3.3 *);
  mkrow 3 3 None None (Some 1) []  (* 3: 3.3' *)].
Definition P_dtotal : Params := par 3 3 0 6 2 3 true true true true true.
Theorem fork_dtotal : breaks P_dtotal 5 /\ fork P_dtotal (tb T_dtotal).
Proof.
  split; [reflexivity|].
  apply (forkb_fork P_dtotal T_dtotal [0; 3; 0] [2] [3] 9 1 (XC 0) (XC 1)); vm_compute; reflexivity.
Qed.

(* the unbroken rule is legal, so no run of any length over any blocks forks *)
Theorem good_legal : Legal P_good.
Proof. apply laws_legal. reflexivity. Qed.
Theorem good_no_fork BT : ~ fork P_good BT.
Proof. apply no_fork. exact good_legal. Qed.

(* the same run follows the literal rules (Spec.v), and its ledger of leaders is not empty *)
Definition ld_good : list nat := [0; 0; 1; 2; 3; 0; 1; 2; 3; 0; 1].
Definition spec_good : option (list nat) :=
  let V := tb T_good in
  match @spec_run P_good V (fun r => nth r ld_good 9) init (map snd (script P_good T_good (seq 0 27) [])) with
  | Some s => Some (@leaders P_good V (fun _ => sch T_good ld_good) (@view_of V s 5) 9)
  | None => None
  end.
Example good_is_spec : spec_good = Some [0; 4; 8; 12; 16; 20].   (* 0.1 1.2 2.3, slot 4 skipped, 0.5 1.6 2.7 *)
Proof. vm_compute. reflexivity. Qed.

(* one view, two schedules: slot 1 is 0.1's or nobody's. So the filter must be a function of the decided prefix. *)
Example schedules_must_agree :
  statb P_good T_good ld_good (seq 0 27) 9 1 = Some (XC 0) /\ statb P_good T_good [0; 1] (seq 0 27) 9 1 = Some XS.
Proof. split; vm_compute; reflexivity. Qed.

(* the legal families of thresholds satisfy (A1)-(A3) and d <= n *)
Lemma families n fb Q : 3 * fb + 1 <= n -> n + fb + 1 <= Q + Q <= n + fb + 2 ->
  n + fb + 1 <= Q + Q /\ Q <= n - fb /\ n + fb + 1 <= (n - fb) + (n - fb) /\
  n + fb + 1 <= (2 * fb + 1) + (n - fb).
Proof. lia. Qed.

Print Assumptions good_is_spec.
Print Assumptions no_fork.
Print Assumptions good_no_fork.
Print Assumptions fork_density.
Print Assumptions fork_votedense.
Print Assumptions fork_selfedge.
Print Assumptions fork_gap.
Print Assumptions fork_stop.
Print Assumptions fork_wait.
Print Assumptions fork_check.
Print Assumptions fork_amplify.
Print Assumptions fork_c2f.
Print Assumptions fork_v2f.
Print Assumptions fork_b2f.
Print Assumptions fork_dtotal.
