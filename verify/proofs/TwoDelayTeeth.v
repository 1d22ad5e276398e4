(* Teeth of the two-delay path: with any one hypothesis removed, all others kept, there is a concrete run that forks;
   the unbroken rules decide. Node 3 is Byzantine, nodes 8 and 9 only watch. Every statement is checked by
   computation. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof TwoDelay TwoDelayForms.

(* block i = row i of a table *)
Record row := mk { ra : nat; rr : nat; rs : option nat; rv : option nat; rc : option nat; rk : bool; rp : list nat }.
Definition row_at (t : list row) (i : nat) : row := nth i t (mk 99 0 None None None false []).
Definition tb (t : list row) : Blocks := {|
  Blk := nat; beq_dec := Nat.eq_dec;
  author i := ra (row_at t i); round i := rr (row_at t i); self i := rs (row_at t i);
  vote i := rv (row_at t i); claim i := rc (row_at t i); parents i := rp (row_at t i) |}.
Definition kt (t : list row) : Kills (tb t) := {| kill (i : @Blk (tb t)) := rk (row_at t i) |}.

Definition base n (w : nat -> nat) bad fb v b c d : Params := {|
  N := n; wt := w; Model.f := fb; Model.v := v; Model.b := b; Model.c := c; Model.d := d; Model.a := fb + 1;
  byz := bad; gap := 3; rule_dense := true; rule_self := true; rule_check := true; rule_stop := true; rule_wait :=
    true |}.
Definition one : nat -> nat := fun _ => 1.
Definition three (p : nat) : bool := p =? 3.
Definition fast fv k kc vc tw : FParams :=
  {| F := fv; bf := k; rule_kills := kc; rule_order := true; rule_votes := vc; rule_twins := tw |}.

(* the hypotheses as booleans *)
Definition legal (P : Params) : bool :=
  (wsum wt byz N <=? f) && (total + f + 1 <=? v + v) && (total + f + 1 <=? v + b) && (total + f + 1 <=? c + d)
  && (f + 1 <=? a) && (d <=? total) && (3 <=? gap) && rule_dense && rule_self && rule_check && rule_stop && rule_wait.
(* 0 Fv, 1 Fb, 2 Hkills, 3 Fc, 4 Fw, 5 Fo, 6 Fs, 7 Horder *)
Definition laws_heavy (P : Params) (FP : FParams) (w : nat) : list bool :=
  [ v <=? F; total + f + 1 <=? v + bf; rule_kills; f + 1 <=? w; w + total + f <=? d + F; total + f + 1 <=? F + w;
    total + f + 1 <=? bf + w; rule_order ].
(* 0 Fv, 1 Fb, 2 Hkills, 3 Rvotes, 4 Rbf, 5 Rseen, 6 R1, 7 R2, 8 R3, 9 Rstake, 10 Horder *)
Definition laws_repaired (P : Params) (FP : FParams) (w1 w2 : nat) : list bool :=
  [ v <=? F; total + f + 1 <=? v + bf; rule_kills; rule_votes; total <? bf; total + f + 1 <=? d + F;
    w1 + total + f <=? d + F; w2 + total + f <=? d + F + (if rule_twins then 1 else 0); total + f <=? F + w2;
    forallb (fun x => 1 <=? wt x) (seq 0 N); rule_order ].
Definition breaks (P : Params) (laws : list bool) (k : nat) : Prop :=
  legal P = true /\ laws = map (fun i => negb (i =? k)) (seq 0 (length laws)).

(* Two observers of one run decide slot 1 differently. Everything is pushed to the members, who accept what they may;
   node 8 holds X, node 9 holds Y, and they accept what they may of it. *)
Inductive how := Heavy (w : nat) | Repair (w1 w2 : nat).
Section Play.
Context (P : Params) (FP : FParams) (t : list row) (lead : nat -> list nat).
#[local] Existing Instance P | 0.
#[local] Existing Instance FP | 0.
#[local] Instance BT : Blocks := tb t.
#[local] Instance KT : Kills BT := kt t.
Definition may_lead (r : nat) (L : Blk) : bool := existsb (fun p => p =? @author BT L) (lead r).
Definition attempt (s : state) (e : event) : state := match fexec s e with Some s' => s' | None => s end.
Definition push (p i : nat) : list event := [ERecv p (i : Blk); EAccept p (i : Blk)].
Definition script (X Y : list nat) : list event :=
  flat_map (fun i => (if byz (@author BT i) then EByz (i : Blk) else ESign (i : Blk))
                     :: flat_map (fun p => push p i) (seq 0 N)) (seq 0 (length t))
  ++ flat_map (push 8) X ++ flat_map (push 9) Y.
Definition play (X Y : list nat) : state := fold_left attempt (script X Y) init.
Lemma play_reach X Y : freach (play X Y).
Proof.
  unfold play. assert (R : freach init) by (exists []; reflexivity). revert R. generalize init.
  induction (script X Y) as [|e u IH]; simpl; intros s [l H]; [exists l; auto|]. apply IH. unfold attempt.
  destruct (fexec s e) as [s'|] eqn:E; [|exists l; auto]. exists (l ++ [e]).
  rewrite (frun_app _ _ s); auto. simpl. now rewrite E.
Qed.
Inductive stat := SU | SS | SC (i : nat).
Definition of (x : status) : stat := match x with Undecided => SU | Skip => SS | Commit i => SC i end.
Definition step3 (form : how) := match form with Heavy w => pick_heavy w | Repair w1 w2 => pick_repaired w1 w2 end.
Definition fork (form : how) : Prop := let pick := step3 form in exists s, freach s /\ exists p q top r,
  fdecide pick may_lead (view_of s p) top r <> Undecided /\ fdecide pick may_lead (view_of s q) top r <> Undecided /\
  fdecide pick may_lead (view_of s p) top r <> fdecide pick may_lead (view_of s q) top r.
(* every correct block was signed: no rule kept a correct node from what the run says *)
Definition signed (s : state) : bool := length (net s) =? length t.
Definition says form X Y top : bool * stat * stat :=
  let s := play X Y in let pick := step3 form in
  (signed s, of (fdecide pick may_lead (view_of s 8) top 1), of (fdecide pick may_lead (view_of s 9) top 1)).
Lemma says_fork form X Y top x y : says form X Y top = (true, x, y) ->
  match x, y with SC i, SC j => negb (i =? j) | SS, SC _ | SC _, SS => true | _, _ => false end = true -> fork form.
Proof.
  unfold says. intros H K. injection H as _ Hx Hy. exists (play X Y). split; [apply play_reach|].
  exists 8, 9, top, 1. rewrite <- Hx, <- Hy in K.
  destruct (fdecide (step3 form) may_lead (view_of (play X Y) 8) top 1) as [| |i],
    (fdecide (step3 form) may_lead (view_of (play X Y) 9) top 1) as [| |j]; simpl in K; try discriminate; repeat
      split; try discriminate.
  all: apply negb_true_iff, Nat.eqb_neq in K; intros C; apply K; congruence.
Qed.
End Play.

(* a block that votes; one that claims *)
Definition bv a r s v : row := mk a r s v None false [].
Definition bc a r s c : row := mk a r s None c false [].
Definition to (i : nat) : option nat := Some i.
(* Slot 1 has blocks 0.1, 1.1, 2.1, 3.1 and a twin of 3.1; v0 .. v3, t3 say for whom the nodes, and the twin of 3.2,
   vote. After 3.2 or its twin comes 3.3, which may KILL. 2.4 leads slot 4 with the parents ps, and all vote for it. *)
Definition table v0 v1 v2 v3 t3 (self33 : nat) (kill33 : bool) (ps : list nat) : list row := [
  bv 0 1 None None; bv 1 1 None None; bv 2 1 None None;                        (* 0..2: 0.1 1.1 2.1 *)
  bv 3 1 None None; bv 3 1 None None;                                          (* 3: 3.1, 4: its twin *)
  bv 0 2 (to 0) v0; bv 1 2 (to 1) v1; bv 2 2 (to 2) v2;                        (* 5..7: 0.2 1.2 2.2 *)
  bv 3 2 None v3; bv 3 2 None t3;                                              (* 8: 3.2, 9: its twin *)
  bv 0 3 (to 5) None; bv 1 3 (to 6) None; bv 2 3 (to 7) None;                  (* 10..12: 0.3 1.3 2.3 *)
  mk 3 3 (to self33) None None kill33 [];                                      (* 13: 3.3 *)
  mk 2 4 (to 12) None None false ps;                                           (* 14: 2.4 *)
  bv 0 5 (to 10) (to 14); bv 1 5 (to 11) (to 14); bv 2 5 (to 14) (to 14); bv 3 5 (to 13) (to 14) ].
Definition lead (l : nat) (r : nat) : list nat := nth r [[]; [l]; []; []; [2]] [].
Definition all19 := seq 0 19.
Definition seen (ids : list nat) := [0; 1; 2] ++ ids.
(* node 9 holds everything but what 3 showed to others *)
Definition but (ids : list nat) := filter (fun i => negb (existsb (fun j => j =? i) ids)) all19.

(* node 8 holds x, node 9 holds y *)
Ltac forks x y k := split; [split; reflexivity|];
  eapply says_fork with (X := x) (Y := y) (top := k); vm_compute; reflexivity.

(* ---- n = 4, f = 1, p = 0: F = 4, w = 2, bf = 4 ---- *)
Definition P4 := base 4 one three 1 3 3 3 3.
Definition F4 := fast 4 4 true false false.
Example legal_4 : legal P4 = true /\ laws_heavy P4 F4 2 = repeat true 8.
Proof. split; reflexivity. Qed.
(* the unbroken rules: four votes commit at 8; 9 sees half of them below 2.4 and commits too *)
Example good_4 : says P4 F4 (table (to 0) (to 0) (to 0) (to 0) None 9 false [11; 12; 13]) (lead 0) (Heavy 2)
  (seen [5; 6; 7; 8]) (but [5; 8]) 6 = (true, SC 0, SC 0).
Proof. vm_compute. reflexivity. Qed.
Theorem fork_kills : breaks P4 (laws_heavy P4 (fast 4 4 false false false) 2) 2 /\
  fork P4 (fast 4 4 false false false) (table (to 0) (to 0) (to 0) (to 0) None 8 true [11; 12; 13]) (lead 0) (Heavy 2).
Proof. forks (seen [5; 6; 7; 8]) (but [5]) 6. Qed.
Theorem fork_seen_high : breaks P4 (laws_heavy P4 F4 3) 4 /\  (* w+1: a twin of 3.2 is below 2.4 *)
  fork P4 F4 (table (to 0) (to 0) (to 0) (to 0) None 9 false [11; 12; 13]) (lead 0) (Heavy 3).
Proof. forks (seen [5; 6; 7; 8]) (but [5; 8]) 6. Qed.
Theorem fork_blames : breaks P4 (laws_heavy P4 (fast 4 3 true false false) 2) 6 /\  (* Q blames skip *)
  fork P4 (fast 4 3 true false false) (table (to 0) None None (to 0) None 8 false [10; 11; 13]) (lead 0) (Heavy 2).
Proof. forks (seen [6; 7; 9]) (but [9]) 6. Qed.
(* votes before kills: 0.2 and 3.2 vote, but to others 3 shows a twin without a vote, so three blames kill the round
   *)
Definition F4_votes_first : FParams :=
  {| F := 4; bf := 4; rule_kills := true; rule_order := false; rule_votes := false; rule_twins := false |}.
Definition T_order : list row := let t := table (to 0) None None (to 0) None 8 false [10; 12; 13] in firstn 10 t ++ [
  mk 0 3 (to 5) None None true []; mk 1 3 (to 6) None None true []; mk 2 3 (to 7) None None true [] ] ++ skipn 13 t.
Theorem fork_order : breaks P4 (laws_heavy P4 F4_votes_first 2) 7 /\ fork P4 F4_votes_first T_order (lead 0) (Heavy 2).
Proof. forks ([10; 11; 12]) ([10; 12] ++ but [9; 11]) 6. Qed.
Example good_order : says P4 F4 T_order (lead 0) (Heavy 2) [10; 11; 12] ([10; 12] ++ but [9; 11]) 6 = (true, SS, SS).
Proof. vm_compute. reflexivity. Qed.
(* F-1, with w low enough for Fw: the liar leads with twins, and both are seen *)
Theorem fork_few_votes : breaks (base 4 one three 1 3 3 3 4) (laws_heavy (base 4 one three 1 3 3 3 4) (fast 3 4 true
  false false) 2) 5 /\
  fork (base 4 one three 1 3 3 3 4) (fast 3 4 true false false)
    (table (to 3) (to 3) (to 4) (to 3) (to 4) 9 false [10; 11; 12; 13]) (lead 3) (Heavy 2).
Proof. forks (seen [3; 5; 6; 8]) (but [8]) 6. Qed.

(* Fv, n = 7, f = 1: five votes commit, though a certificate has seven and two blames exclude it: so a kill does too
   *)
Definition P7 := base 7 one (fun p => p =? 6) 1 7 2 4 7.
Definition T7 : list row :=
  map (fun p => bv p 1 None None) (seq 0 7)
  ++ map (fun p => bv p 2 (to p) (if p <? 4 then to 0 else None)) (seq 0 6)
  ++ [bv 6 2 (to 6) (to 0); bv 6 2 (to 6) None]
  ++ map (fun p => mk p 3 (to (7 + p)) None None true []) (seq 0 6).
Theorem fork_below_quorum : breaks P7 (laws_heavy P7 (fast 5 7 true false false) 4) 0 /\
  fork P7 (fast 5 7 true false false) T7 (lead 0) (Heavy 4).
Proof. forks (seq 0 7 ++ [7; 8; 9; 10; 13]) (seq 15 6) 6. Qed.
(* Fb, n = 6, f = 1: four votes certify, three blames skip, and the liar is on both sides *)
Definition P6 := base 6 one (fun p => p =? 5) 1 4 4 3 6.
Definition T6 : list row :=
  map (fun p => bv p 1 None None) (seq 0 6)
  ++ map (fun p => bv p 2 (to p) (if p <? 3 then to 0 else None)) (seq 0 5)
  ++ [bv 5 2 (to 5) (to 0); bv 5 2 (to 5) None]
  ++ map (fun p => bc p 3 (to (6 + p)) (to 0)) (seq 0 3).
Theorem fork_three_blames : breaks P6 (laws_heavy P6 (fast 6 3 true false false) 5) 1 /\
  fork P6 (fast 6 3 true false false) T6 (lead 0) (Heavy 5).
Proof. forks (seq 0 6 ++ [9; 10; 12]) (seq 0 12 ++ [13; 14; 15]) 6. Qed.

(* A block that is not dense, 3.4, gets the liar's vote alone; one vote in the history of 2.7 commits it, and below it
   no claim of slot 1 is seen, though slot 1 committed. *)
Definition T_sparse : list row := [
  bv 0 1 None None; bv 1 1 None None; bv 2 1 None None; bv 3 1 None None;                          (* 0..3 *)
  bv 0 2 (to 0) (to 0); bv 1 2 (to 1) (to 0); bv 2 2 (to 2) (to 0); bv 3 2 (to 3) None;            (* 4..7 *)
  bc 0 3 (to 4) (to 0); bc 1 3 (to 5) (to 0); bc 2 3 (to 6) (to 0); bv 3 3 (to 7) None;            (* 8..11 *)
  bv 3 4 (to 11) None;                                                                             (* 12: 3.4 *)
  bv 0 5 (to 8) None; bv 1 5 (to 9) None; bv 2 5 (to 10) None; bv 3 5 (to 12) (to 12);             (* 13..16 *)
  bv 0 6 (to 13) None; bv 1 6 (to 14) None; bv 2 6 (to 15) None; bv 3 6 (to 16) None;              (* 17..20 *)
  mk 2 7 (to 19) None None false [18; 19; 20];                                                     (* 21: 2.7 *)
  bv 0 8 (to 17) (to 21); bv 1 8 (to 18) (to 21); bv 2 8 (to 21) (to 21);                          (* 22..24 *)
  bc 0 9 (to 22) (to 21); bc 1 9 (to 23) (to 21); bc 2 9 (to 24) (to 21) ].                        (* 25..27 *)
Definition lead7 (r : nat) : list nat := nth r [[]; [0]; []; []; [3]; []; []; [2]] [].
Definition unclaimed := filter (fun i => negb (i =? 8)) (seq 0 28).  (* without the claim of 0.3 *)
Theorem fork_one_vote : breaks P4 (laws_heavy P4 (fast 5 5 true false false) 1) 3 /\
  fork P4 (fast 5 5 true false false) T_sparse lead7 (Heavy 1).
Proof. forks (seq 0 11) (unclaimed) 9. Qed.

(* ---- the repaired form, n = 4, f = p = 1 = 3f+2p-1: three votes commit, so one node may be down ---- *)
Definition R4 := fast 3 5 true true true.
Example legal_r4 : legal P4 = true /\ laws_repaired P4 R4 1 2 = repeat true 11.
Proof. split; reflexivity. Qed.
(* the unbroken rules, a lying leader: 2.4 leaves it out, and commits what three voted for *)
Example good_r4 : says P4 R4 (table (to 3) (to 3) (to 4) (to 3) (to 4) 9 false [10; 11; 12]) (lead 3) (Repair 1 2)
  (seen [3; 5; 6; 8]) (but [8]) 6 = (true, SC 3, SC 3).
Proof. vm_compute. reflexivity. Qed.
Theorem fork_twins : breaks P4 (laws_repaired P4 (fast 3 5 true true false) 1 2) 7 /\
  fork P4 (fast 3 5 true true false) (table (to 3) (to 3) (to 4) (to 3) (to 4) 9 false [11; 12; 13]) (lead 3) (Repair
    1 2).
Proof. forks (seen [3; 5; 6; 8]) (but [8]) 6. Qed.
Theorem fork_votes_unchecked : breaks P4 (laws_repaired P4 (fast 3 5 true false true) 1 2) 3 /\
  fork P4 (fast 3 5 true false true) T_sparse lead7 (Repair 1 2).
Proof. forks (seq 0 11) ([9; 10] ++ filter (fun i => negb (i =? 4)) unclaimed) 9. Qed.
Theorem fork_four_blames : breaks P4 (laws_repaired P4 (fast 3 4 true true true) 1 2) 4 /\
  fork P4 (fast 3 4 true true true) (table None None None (to 0) None 8 false [10; 11; 13]) (lead 0) (Repair 1 2).
Proof. forks (seen [5; 6; 7; 9]) (but [9]) 6. Qed.
Theorem fork_w1 : breaks P4 (laws_repaired P4 R4 2 2) 6 /\
  fork P4 R4 (table (to 0) (to 0) None (to 0) None 9 false [11; 12; 13]) (lead 0) (Repair 2 2).
Proof. forks (seen [5; 6; 8]) (but [8]) 6. Qed.
Theorem fork_w2 : breaks P4 (laws_repaired P4 R4 1 1) 8 /\
  fork P4 R4 (table (to 3) (to 3) (to 4) (to 3) (to 4) 9 false [10; 11; 12]) (lead 3) (Repair 1 1).
Proof. forks (seen [3; 5; 6; 8]) (but [8]) 6. Qed.
Definition T_unseen : list row := firstn 14 (table (to 0) (to 0) (to 0) (to 0) None 9 false []) ++ [
  mk 3 4 (to 13) None None false [13]; bv 0 5 (to 10) (to 14); bv 1 5 (to 11) (to 14);
  bv 2 5 (to 12) (to 14); bv 3 5 (to 14) (to 14) ].  (* 14 3.4 leads *)
Theorem fork_unseen : breaks (base 4 one three 1 3 3 5 1) (laws_repaired (base 4 one three 1 3 3 5 1) (fast 4 5 true
  true true) 0 1) 5 /\
  fork (base 4 one three 1 3 3 5 1) (fast 4 5 true true true) T_unseen
    (fun r => if r =? 4 then [3] else lead 0 r) (Repair 0 1).
Proof. forks (seen [5; 6; 7; 8]) (but [8]) 6. Qed.
(* a liar without stake leads, and the one with stake votes both ways *)
Definition P5 := base 5 (fun p => if p =? 4 then 0 else 1) (fun p => 3 <=? p) 1 3 3 3 3.
Definition T_light : list row := firstn 3 (table None None None None None 9 false []) ++ [
  bv 4 1 None None; bv 4 1 None None ] ++
  skipn 5 (table (to 3) (to 3) (to 4) (to 3) (to 4) 9 false [11; 12; 13]).
Theorem fork_light : breaks P5 (laws_repaired P5 R4 1 2) 9 /\
  fork P5 R4 T_light (lead 4) (Repair 1 2).
Proof. forks (seen [3; 5; 6; 8]) (but [8]) 6. Qed.
(* n = 5 = 3f+2p: four votes commit, whatever lying leaders are listed *)
Example legal_r5 : let P := base 5 one three 1 4 4 4 4 in
  legal P = true /\ laws_repaired P (fast 4 6 true true false) 2 2 = repeat true 11.
Proof. split; reflexivity. Qed.
(* blocks of two authors fill one slot: neither needs to lie *)
Theorem fork_two_leaders :
  fork P4 R4 (table (to 0) (to 0) (to 1) (to 0) (to 1) 9 false [10; 12; 13]) (fun r => if r =? 1 then [0; 1] else
    lead 0 r) (Repair 1 2).
Proof. eapply says_fork with (X := seen [5; 6; 8]) (Y := but [8; 6]) (top := 6); vm_compute; reflexivity. Qed.
Print Assumptions legal_4.
Print Assumptions good_4.
Print Assumptions fork_kills.
Print Assumptions fork_seen_high.
Print Assumptions fork_blames.
Print Assumptions fork_order.
Print Assumptions good_order.
Print Assumptions fork_few_votes.
Print Assumptions fork_below_quorum.
Print Assumptions fork_three_blames.
Print Assumptions fork_one_vote.
Print Assumptions legal_r4.
Print Assumptions good_r4.
Print Assumptions fork_twins.
Print Assumptions fork_votes_unchecked.
Print Assumptions fork_four_blames.
Print Assumptions fork_w1.
Print Assumptions fork_w2.
Print Assumptions fork_unseen.
Print Assumptions fork_light.
Print Assumptions legal_r5.
Print Assumptions fork_two_leaders.
