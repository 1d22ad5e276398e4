(* Teeth of liveness: a run that keeps all laws of LiveModel.v and commits (so the theorems are not vacuous), and for each law
   a run that keeps all others and in which the slot of a correct leader is not committed when the theorem says so.
   Tables written by gen_live.py; every statement is checked by computation inside Coq. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof LiveModel LiveTotal Live.
Require Teeth.

Notation row := Teeth.row.
Notation mkrow := Teeth.mkrow.
Definition par n f v c d a (liars : list nat) : Params := {|
  N := n; wt := fun _ => 1; Model.f := f; Model.v := v; Model.b := v; Model.c := c; Model.d := d; Model.a := a;
  byz := fun p => existsb (Nat.eqb p) liars; gap := 3;
  rule_dense := true; rule_self := true; rule_check := true; rule_stop := true; rule_wait := true |}.

(* ---------- a run from its events ---------- *)
Section Play.
Context {P : Params} {BT : Blocks}.
Fixpoint scan (s : state) (es : list (nat * event)) : list state :=
  s :: match es with
       | [] => []
       | (_, e) :: u => match exec s e with Some s' => scan s' u | None => [] end
       end.
Fixpoint sorted (t : nat) (es : list (nat * event)) : bool :=
  match es with [] => true | (t', _) :: u => (t <=? t') && sorted t' u end.
Definition played (es : list (nat * event)) (ss : list state) : bool := (length ss =? S (length es)) && sorted 0 es.

Lemma scan_len es : forall s, length (scan s es) <= S (length es).
Proof.
  induction es as [|[t e] u IH]; intros s; simpl; auto. destruct (exec s e); simpl; [|lia]. specialize (IH s0). lia.
Qed.
Lemma scan_step es : forall s i, length (scan s es) = S (length es) -> i < length es ->
  later (nth i (scan s es) init) (nth (S i) (scan s es) init).
Proof.
  induction es as [|[t e] u IH]; intros s i HL Hi; simpl in *; [lia|].
  destruct (exec s e) as [s'|] eqn:E; simpl in HL; [|lia].
  destruct i as [|i]; [|apply IH; lia].
  exists [e]. simpl. rewrite E. destruct u as [|[t' e'] u]; reflexivity.
Qed.
Lemma sorted_le es : forall t i, sorted t es = true -> i < length es -> t <= fst (nth i es (0, EFloor 0 0)).
Proof.
  induction es as [|[t' e] u IH]; intros t i H Hi; simpl in *; [lia|]. rewrite andb_true_iff, Nat.leb_le in H.
  destruct i as [|i]; [simpl; lia|]. destruct H. specialize (IH t' i H0 ltac:(lia)). simpl. lia.
Qed.
Lemma sorted_nth es : forall t i j, sorted t es = true -> i <= j -> j < length es ->
  fst (nth i es (0, EFloor 0 0)) <= fst (nth j es (0, EFloor 0 0)).
Proof.
  induction es as [|[t' e] u IH]; intros t i j H Hij Hj; simpl in *; [lia|]. rewrite andb_true_iff in H. destruct H as [_ H].
  destruct j as [|j]; destruct i as [|i]; simpl; try lia.
  - apply (sorted_le u t'); auto. lia.
  - apply (IH t'); auto; lia.
Qed.
End Play.

(* an event of a table's run: who, and the number of the block *)
Inductive said := Lie (B : nat) | Sign (B : nat) | Recv (p B : nat) | Accept (p B : nat) | Raise (p k : nat).
Definition event_of (t : list row) (x : said) : @event (Teeth.tb t) :=
  match x with
  | Lie B => @EByz (Teeth.tb t) B | Sign B => @ESign (Teeth.tb t) B | Recv p B => @ERecv (Teeth.tb t) p B
  | Accept p B => @EAccept (Teeth.tb t) p B | Raise p k => @EFloor (Teeth.tb t) p k
  end.
Definition events (t : list row) (l : list (nat * said)) : list (nat * @event (Teeth.tb t)) :=
  map (fun x => (fst x, event_of t (snd x))) l.

(* everything but the run itself *)
Record setting := mkset { q_expects : nat -> nat -> nat; q_out : list nat; q_wait : nat -> nat -> nat; q_m : nat;
  q_Delta : nat; q_ask : nat; q_prove : nat; q_fetch : nat; q_owed : nat; q_T : nat; q_longest : nat; q_slot : nat;
  q_hz : nat }.
Definition timed {P : Params} {BT : Blocks} (q : setting) (es : list (nat * event)) (ss : list state) : Timing := {|
  after := fun i => nth i ss init; time := fun i => fst (nth i es (0, EFloor 0 0)); len := length es; hz := q_hz q;
  expects := q_expects q; out := fun p => existsb (Nat.eqb p) (q_out q); wait := q_wait q; m := q_m q;
  GST := 0; Delta := q_Delta q; ask := q_ask q; prove := q_prove q; fetch := q_fetch q; owed := q_owed q;
  T := q_T q; longest := q_longest q; slot := q_slot q |}.
Lemma played_clocked {P : Params} {BT : Blocks} q es : played es (scan init es) = true -> Clocked (timed q es (scan init es)).
Proof.
  unfold played. rewrite andb_true_iff, Nat.eqb_eq. intros [HL HS]. constructor; simpl.
  - destruct es as [|[t e] u]; reflexivity.
  - intros i Hi. now apply scan_step.
  - intros i j. apply (sorted_nth es 0); auto.
Qed.

(* The laws in the order of `Live`: 0 live, 1 complete, 2 patience, 3 wait, 4 same, 5 honest, 6 order, 7 leave, 8 vote,
   9 claim, 10 dense, 11 accept, 12 move, 13 floor, 14 push, 15 kept, 16 ask, 17 prove, 18 owed, 19 fetch *)
Section Judge.
Context {P : Params} {BT : Blocks} (TM : Timing).
Definition laws : list bool :=
  [ law_live; law_complete; law_patience; law_wait; law_same; law_honest; law_order; law_leave; law_vote; law_claim;
    law_dense; law_accept; law_move; law_floor; law_push; law_kept; law_ask; law_prove; law_owed; law_fetch ].
Lemma laws_live : laws = repeat true 20 -> Live TM.
Proof.
  intros H. cbv [laws repeat] in H.
  injection H as H0 H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11 H12 H13 H14 H15 H16 H17 H18 H19. constructor; assumption.
Qed.

(* ---------- a correct leader, after GST, and no commit in time ---------- *)
Definition starts_at (k E : nat) : bool :=
  begun (at_ E) k && forallb (fun t => negb (begun (at_ t) k)) (seq 0 E).
Lemma starts_begins k E : starts_at k E = true -> begins k E.
Proof.
  unfold starts_at, begins. rewrite andb_true_iff, forallb_forall. intros [H1 H2]. split; auto. intros t Ht.
  destruct (le_lt_dec E t) as [|HL]; auto. specialize (H2 t ltac:(apply in_seq; lia)). rewrite Ht in H2. discriminate.
Qed.
(* the premises of `commits_within`, for the slot of leader l *)
Definition due (E0 E l : nat) : bool :=
  (2 <=? slot) && starts_at (slot - 1) E0 && (GST <=? E0) && starts_at slot E && (E + commits <=? hz)
  && (l <? N) && negb (byz l) && (expects l slot =? l).
(* at time t node x, whose floor is below the slot, holds too few claims of whatever block, and accepted no certified block
   that could be an anchor *)
Definition bare (x t : nat) : bool :=
  (x <? N) && negb (byz x) && (flr (at_ t) x <? slot) && (1 <=? c)
  && forallb (fun B => match claim B with Some L => claims (hld (at_ t) x) slot L <? c | None => true end) (hld (at_ t) x)
  && forallb (fun B => (round B <? slot + 3) || (votes (net (at_ t)) (round B) B <? v)) (acc (at_ t) x).
(* some correct node does not commit the slot, whatever it takes for its leader *)
Definition late : Prop := exists E0 E l x, 2 <= slot /\ begins (slot - 1) E0 /\ GST <= E0 /\ begins slot E /\
  E + commits <= hz /\ correct l /\ expects l slot = l /\ correct x /\ flr (at_ (E + commits)) x < slot /\
  forall g L, ~ decided g (view_of (at_ (E + commits)) x) slot (Commit L).
Lemma bare_late (LG : Legal P) (CK : Clocked TM) E0 E l x :
  due E0 E l = true -> bare x (E + commits) = true -> late.
Proof.
  unfold due, bare. rewrite !andb_true_iff, !Nat.leb_le, !Nat.ltb_lt, !negb_true_iff, Nat.eqb_eq.
  intros [[[[[[[H1 H2] H3] H4] H5] H6] H7] H8] [[[[[K1 K2] K3] K4] K5] K6].
  exists E0, E, l, x. repeat split; auto; try (apply starts_begins; auto).
  intros g L D. rewrite forallb_forall in K5, K6.
  destruct (reach_inv (at_ (E + commits))) as [OK VV]; [apply run_reaches, upto_len|].
  inversion D as [r0 L0 HF G HC | | r0 s A B L0 HF Hs HSk HA IA HB RB CB G|]; subst.
  - assert (HW : 1 <= claims (hld (at_ (E + commits)) x) slot L) by (simpl in HC; lia).
    unfold claims, wgt in HW.
    destruct (wsum_pick wt (fun _ => false) (has (hld (at_ (E + commits)) x) (qclaim slot L)) N) as (p & _ & Hp & _).
    { assert (Z : forall j, wsum wt (fun _ => false) j = 0) by (intros j; induction j as [|j IH]; [reflexivity|exact IH]).
      rewrite Z. lia. }
    apply has_true in Hp. destruct Hp as (B & I & _ & Q). apply qclaim_true in Q. destruct Q as [_ Q].
    specialize (K5 B I). rewrite Q in K5. apply Nat.ltb_lt in K5. simpl in HC. lia.
  - specialize (K6 A IA). rewrite orb_true_iff, !Nat.ltb_lt in K6.
    destruct (decided_commit (net (at_ (E + commits))) OK g _ s _ (VV x) HA A eq_refl) as (RA & _ & CA).
    unfold certified in CA. rewrite <- RA in CA. pose proof Hgap. lia.
Qed.
End Judge.
Definition only (k : nat) : list bool := map (fun i => negb (i =? k)) (seq 0 20).
Theorem no_late {P : Params} {BT : Blocks} (LG : Legal P) (TM : Timing) : Clocked TM -> Live TM -> ~ late TM.
Proof.
  intros CK LV (E0 & E & l & x & H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & H9 & H10).
  destruct (commits_within E0 E l H1 H2 H3 H4 H5 H6 H7 (fun r B => true)) as (L & _ & HD); auto.
  destruct (HD x (E + commits) H8 (le_n _) H9) as [_ D]. exact (H10 _ _ D).
Qed.

(* all laws hold: the liar is silent, the slot commits *)
Definition R_good : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 6) (Some 5) []  (* 9: 0.4 *);
  mkrow 1 4 (Some 7) (Some 6) (Some 5) [7; 6; 8]  (* 10: 1.4 *);
  mkrow 2 4 (Some 8) (Some 6) (Some 5) []  (* 11: 2.4 *)].
Definition B_good : Blocks := Teeth.tb R_good.
Definition P_good : Params := par 4 1 3 3 3 2 [3].
Definition E_good := events R_good [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 6); (2, Recv 0 6); (2, Accept 1 3); (2, Accept 1 5); 
  (2, Sign 7); (2, Recv 1 7); (2, Accept 2 3); (2, Accept 2 4); (2, Sign 8); (2, Recv 2 8); (2, Accept 0 6); 
  (2, Accept 1 7); (2, Accept 2 8); (3, Recv 1 6); (3, Recv 2 6); (3, Recv 0 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 1 8); (3, Accept 0 7); (3, Accept 0 8); (3, Sign 9); (3, Recv 0 9); (3, Accept 1 6); (3, Accept 1 8); 
  (3, Sign 10); (3, Recv 1 10); (3, Accept 2 6); (3, Accept 2 7); (3, Sign 11); (3, Recv 2 11); (3, Accept 0 9); 
  (3, Accept 1 10); (3, Accept 2 11); (4, Recv 1 9); (4, Recv 2 9); (4, Recv 0 10); (4, Recv 2 10); (4, Recv 0 11); 
  (4, Recv 1 11); (4, Accept 0 10); (4, Accept 0 11); (4, Accept 1 9); (4, Accept 1 11); (4, Accept 2 9); 
  (4, Accept 2 10)].
Definition S_good : list (@state B_good) := @scan P_good B_good init E_good.
Definition Q_good : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_good := @timed P_good B_good Q_good E_good S_good.
Lemma L_good : @Legal P_good.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_good : @Clocked P_good B_good T_good.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem on_time_good : @Live P_good B_good T_good /\ @due P_good B_good T_good 0 1 2 = true.
Proof. split; [apply laws_live; vm_cast_no_check (eq_refl (repeat true 20))|vm_compute; reflexivity]. Qed.

(* a commit asks for all four, so the silent liar prevents it *)
Definition R_live : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 6) (Some 5) []  (* 9: 0.4 *);
  mkrow 1 4 (Some 7) (Some 6) (Some 5) [7; 6; 8]  (* 10: 1.4 *);
  mkrow 2 4 (Some 8) (Some 6) (Some 5) []  (* 11: 2.4 *)].
Definition B_live : Blocks := Teeth.tb R_live.
Definition P_live : Params := par 4 1 3 4 3 2 [3].
Definition E_live := events R_live [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 6); (2, Recv 0 6); (2, Accept 1 3); (2, Accept 1 5); 
  (2, Sign 7); (2, Recv 1 7); (2, Accept 2 3); (2, Accept 2 4); (2, Sign 8); (2, Recv 2 8); (2, Accept 0 6); 
  (2, Accept 1 7); (2, Accept 2 8); (3, Recv 1 6); (3, Recv 2 6); (3, Recv 0 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 1 8); (3, Accept 0 7); (3, Accept 0 8); (3, Sign 9); (3, Recv 0 9); (3, Accept 1 6); (3, Accept 1 8); 
  (3, Sign 10); (3, Recv 1 10); (3, Accept 2 6); (3, Accept 2 7); (3, Sign 11); (3, Recv 2 11); (3, Accept 0 9); 
  (3, Accept 1 10); (3, Accept 2 11); (4, Recv 1 9); (4, Recv 2 9); (4, Recv 0 10); (4, Recv 2 10); (4, Recv 0 11); 
  (4, Recv 1 11); (4, Accept 0 10); (4, Accept 0 11); (4, Accept 1 9); (4, Accept 1 11); (4, Accept 2 9); 
  (4, Accept 2 10)].
Definition S_live : list (@state B_live) := @scan P_live B_live init E_live.
Definition Q_live : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_live := @timed P_live B_live Q_live E_live S_live.
Lemma L_live : @Legal P_live.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_live : @Clocked P_live B_live T_live.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_live : @laws P_live B_live T_live = only 0 /\ @late P_live B_live T_live.
Proof.
  split; [vm_cast_no_check (eq_refl (only 0))|].
  apply (@bare_late P_live B_live T_live L_live C_live 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* two blocks complete a round, so the leader's block is not dense *)
Definition R_complete : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) None (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) None (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) None (Some 0) []  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 6) None []  (* 9: 0.4 *);
  mkrow 1 4 (Some 7) (Some 6) None [7; 6; 8]  (* 10: 1.4 *);
  mkrow 2 4 (Some 8) (Some 6) None []  (* 11: 2.4 *)].
Definition B_complete : Blocks := Teeth.tb R_complete.
Definition P_complete : Params := par 4 1 3 3 3 2 [3].
Definition E_complete := events R_complete [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 0 2); (1, Recv 1 2); 
  (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); (1, Sign 4); 
  (1, Recv 1 4); (1, Accept 2 0); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); (1, Accept 1 4); (1, Accept 2 5); 
  (2, Recv 2 1); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 0 5); (2, Recv 1 5); (2, Accept 0 4); 
  (2, Accept 0 5); (2, Accept 1 3); (2, Accept 1 5); (2, Accept 2 1); (2, Accept 2 3); (3, Recv 2 4); (3, Accept 2 4); 
  (10, Sign 6); (10, Recv 0 6); (10, Sign 7); (10, Recv 1 7); (10, Sign 8); (10, Recv 2 8); (10, Accept 0 6); 
  (10, Accept 1 7); (10, Accept 2 8); (11, Recv 1 6); (11, Recv 2 6); (11, Recv 0 7); (11, Recv 0 8); (11, Recv 1 8); 
  (11, Accept 0 7); (11, Accept 0 8); (11, Sign 9); (11, Recv 0 9); (11, Accept 1 6); (11, Accept 1 8); (11, Sign 10); 
  (11, Recv 1 10); (11, Accept 2 6); (11, Sign 11); (11, Recv 2 11); (11, Accept 0 9); (11, Accept 1 10); 
  (11, Accept 2 11); (12, Recv 2 7); (12, Recv 1 9); (12, Recv 2 9); (12, Recv 0 10); (12, Recv 0 11); 
  (12, Recv 1 11); (12, Accept 0 10); (12, Accept 0 11); (12, Accept 1 9); (12, Accept 1 11); (12, Accept 2 7); 
  (12, Accept 2 9); (13, Recv 2 10); (13, Accept 2 10)].
Definition S_complete : list (@state B_complete) := @scan P_complete B_complete init E_complete.
Definition Q_complete : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  2 2 2 2 1 0 8 8 2 29.
Definition T_complete := @timed P_complete B_complete Q_complete E_complete S_complete.
Lemma L_complete : @Legal P_complete.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_complete : @Clocked P_complete B_complete T_complete.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_complete : @laws P_complete B_complete T_complete = only 1 /\ @late P_complete B_complete T_complete.
Proof.
  split; [vm_cast_no_check (eq_refl (only 1))|].
  apply (@bare_late P_complete B_complete T_complete L_complete C_complete 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* T is 6 Delta (12), and two questions of 2.5 Delta (5) one after the other make the leader's block 7 Delta late: 2 needs the
   evidence for the claim of 0.3 before it may follow, and its own block names 3.1', which the liar showed to it alone *)
Definition R_patience : list row := [
  mkrow 3 1 None None None []  (* 0: 3.1' *);
  mkrow 0 1 None None None []  (* 1: 0.1 *);
  mkrow 1 1 None None None []  (* 2: 1.1 *);
  mkrow 2 1 None None None []  (* 3: 2.1 *);
  mkrow 3 2 None (Some 2) None []  (* 4: 3.2 *);
  mkrow 0 2 (Some 1) (Some 2) None []  (* 5: 0.2 *);
  mkrow 1 2 (Some 2) (Some 2) None []  (* 6: 1.2 *);
  mkrow 2 2 (Some 3) None None []  (* 7: 2.2 *);
  mkrow 3 3 (Some 4) None None []  (* 8: 3.3 *);
  mkrow 0 3 (Some 5) None (Some 2) []  (* 9: 0.3 *);
  mkrow 1 3 (Some 6) None None []  (* 10: 1.3 *);
  mkrow 2 3 (Some 7) None (Some 2) [7; 5; 6; 4; 0]  (* 11: 2.3 *);
  mkrow 2 4 (Some 11) (Some 11) None []  (* 12: 2.4 *);
  mkrow 0 4 (Some 9) None None [8; 9; 10]  (* 13: 0.4 *);
  mkrow 1 4 (Some 10) (Some 11) None []  (* 14: 1.4 *);
  mkrow 1 5 (Some 14) (Some 13) None []  (* 15: 1.5 *);
  mkrow 0 5 (Some 13) (Some 13) None [13; 12; 14]  (* 16: 0.5 *);
  mkrow 2 5 (Some 12) (Some 13) None []  (* 17: 2.5 *)].
Definition B_patience : Blocks := Teeth.tb R_patience.
Definition P_patience : Params := par 4 1 3 3 3 2 [3].
Definition E_patience := events R_patience [
  (0, Lie 0); (0, Recv 2 0); (0, Sign 1); (0, Recv 0 1); (0, Sign 2); (0, Recv 1 2); (0, Accept 2 0); (0, Sign 3); 
  (0, Recv 2 3); (0, Accept 0 1); (0, Accept 1 2); (0, Accept 2 3); (1, Lie 4); (1, Recv 1 1); (1, Recv 2 1); 
  (1, Recv 0 2); (1, Recv 0 3); (1, Recv 1 3); (1, Accept 0 2); (1, Accept 0 3); (1, Sign 5); (1, Recv 0 5); 
  (1, Accept 1 1); (1, Accept 1 3); (1, Sign 6); (1, Recv 1 6); (1, Accept 2 1); (1, Sign 7); (1, Recv 2 7); 
  (1, Accept 0 5); (1, Accept 1 6); (1, Accept 2 7); (2, Lie 8); (2, Recv 2 2); (2, Recv 0 4); (2, Recv 1 5); 
  (2, Recv 2 5); (2, Recv 0 6); (2, Recv 2 6); (2, Recv 0 7); (2, Recv 1 7); (2, Recv 0 8); (2, Recv 1 8); 
  (2, Accept 0 4); (2, Accept 0 6); (2, Accept 0 7); (2, Accept 0 8); (2, Sign 9); (2, Recv 0 9); (2, Accept 1 5); 
  (2, Accept 1 7); (2, Sign 10); (2, Recv 1 10); (2, Accept 2 2); (2, Accept 2 5); (2, Accept 2 6); (2, Accept 0 9); 
  (2, Accept 1 10); (3, Recv 1 9); (3, Recv 0 10); (3, Accept 0 10); (4, Recv 2 9); (4, Recv 2 10); (4, Accept 2 10); 
  (7, Recv 1 4); (7, Accept 1 9); (7, Accept 1 4); (7, Accept 1 8); (9, Recv 2 4); (9, Recv 2 8); (9, Accept 2 9); 
  (9, Accept 2 4); (9, Accept 2 8); (9, Sign 11); (9, Recv 2 11); (9, Accept 2 11); (9, Sign 12); (9, Recv 2 12); 
  (9, Accept 2 12); (11, Recv 0 11); (11, Recv 1 11); (11, Recv 0 12); (11, Recv 1 12); (15, Sign 13); 
  (15, Recv 0 13); (15, Accept 0 13); (16, Recv 0 0); (16, Recv 1 0); (16, Recv 1 13); (16, Accept 0 0); 
  (16, Accept 0 11); (16, Accept 0 12); (16, Accept 1 0); (16, Accept 1 11); (16, Accept 1 12); (16, Accept 1 13); 
  (16, Sign 14); (16, Recv 1 14); (16, Accept 1 14); (17, Recv 2 13); (17, Recv 0 14); (17, Accept 0 14); 
  (17, Accept 2 13); (18, Recv 2 14); (18, Accept 2 14); (28, Sign 15); (28, Recv 1 15); (28, Accept 1 15); 
  (29, Recv 0 15); (29, Accept 0 15); (29, Sign 16); (29, Recv 0 16); (29, Accept 0 16); (30, Recv 2 15); 
  (30, Recv 1 16); (30, Accept 1 16); (30, Accept 2 15); (30, Sign 17); (30, Recv 2 17); (30, Accept 2 17); 
  (31, Recv 2 16); (31, Accept 2 16); (32, Recv 0 17); (32, Recv 1 17); (32, Accept 0 17); (32, Accept 1 17)].
Definition S_patience : list (@state B_patience) := @scan P_patience B_patience init E_patience.
Definition Q_patience : setting := mkset (fun x k => nth k (nth x [[0; 1; 3; 2; 0; 0; 0]; [0; 1; 3; 2; 0; 0; 0]; [0; 1; 3; 2; 0; 0; 0]; [0; 1; 3; 2; 0; 0; 0]] []) 0)
  [] (fun x k => nth k (nth x [[12; 12; 0; 12; 12; 12; 12]; [12; 12; 0; 12; 12; 12; 12]; [12; 0; 12; 12; 12; 12; 12]; [12; 12; 12; 12; 12; 12; 12]] []) 0)
  3 2 5 5 5 5 12 12 3 66.
Definition T_patience := @timed P_patience B_patience Q_patience E_patience S_patience.
Lemma L_patience : @Legal P_patience.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_patience : @Clocked P_patience B_patience T_patience.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_patience : @laws P_patience B_patience T_patience = only 2 /\ @late P_patience B_patience T_patience.
Proof.
  split; [vm_cast_no_check (eq_refl (only 2))|].
  apply (@bare_late P_patience B_patience T_patience L_patience C_patience 1 2 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 does not wait for the leader *)
Definition R_wait : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 2 None None None []  (* 3: 3.2 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 6: 2.2 *);
  mkrow 0 3 (Some 4) None None [4; 3; 5]  (* 7: 0.3 *);
  mkrow 2 3 (Some 6) (Some 6) (Some 0) []  (* 8: 2.3 *);
  mkrow 1 3 (Some 5) (Some 6) (Some 0) []  (* 9: 1.3 *);
  mkrow 1 4 (Some 9) (Some 7) None [7; 8; 9]  (* 10: 1.4 *);
  mkrow 0 4 (Some 7) (Some 7) None []  (* 11: 0.4 *);
  mkrow 2 4 (Some 8) (Some 7) None []  (* 12: 2.4 *)].
Definition B_wait : Blocks := Teeth.tb R_wait.
Definition P_wait : Params := par 4 1 3 3 3 2 [3].
Definition E_wait := events R_wait [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Lie 3); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); 
  (1, Recv 0 2); (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 4); (1, Recv 0 4); (1, Accept 1 0); 
  (1, Accept 1 2); (1, Sign 5); (1, Recv 1 5); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 6); (1, Recv 2 6); 
  (1, Accept 0 4); (1, Accept 1 5); (1, Accept 2 6); (2, Recv 0 3); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 1 4); 
  (2, Recv 2 4); (2, Recv 0 5); (2, Recv 2 5); (2, Accept 0 3); (2, Accept 0 5); (2, Sign 7); (2, Recv 0 7); 
  (2, Accept 1 3); (2, Accept 1 4); (2, Accept 2 3); (2, Accept 2 4); (2, Accept 2 5); (2, Sign 8); (2, Recv 2 8); 
  (2, Accept 0 7); (2, Accept 2 8); (3, Recv 0 6); (3, Recv 1 6); (3, Recv 1 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 1 8); (3, Accept 0 6); (3, Accept 0 8); (3, Accept 1 6); (3, Accept 1 7); (3, Accept 1 8); (3, Sign 9); 
  (3, Recv 1 9); (3, Accept 2 7); (3, Accept 1 9); (4, Recv 0 9); (4, Recv 2 9); (4, Accept 0 9); (4, Accept 2 9); 
  (11, Sign 10); (11, Recv 1 10); (11, Accept 1 10); (12, Recv 0 10); (12, Recv 2 10); (12, Accept 0 10); 
  (12, Sign 11); (12, Recv 0 11); (12, Accept 2 10); (12, Sign 12); (12, Recv 2 12); (12, Accept 0 11); 
  (12, Accept 2 12); (13, Recv 1 11); (13, Recv 2 11); (13, Recv 0 12); (13, Recv 1 12); (13, Accept 0 12); 
  (13, Accept 1 11); (13, Accept 1 12); (13, Accept 2 11)].
Definition S_wait : list (@state B_wait) := @scan P_wait B_wait init E_wait.
Definition Q_wait : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 0; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_wait := @timed P_wait B_wait Q_wait E_wait S_wait.
Lemma L_wait : @Legal P_wait.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_wait : @Clocked P_wait B_wait T_wait.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_wait : @laws P_wait B_wait T_wait = only 3 /\ @late P_wait B_wait T_wait.
Proof.
  split; [vm_cast_no_check (eq_refl (only 3))|].
  apply (@bare_late P_wait B_wait T_wait L_wait C_wait 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 waits for the leader of the slot and not for that of the next round, as the program does when it has not heard of
   that one: it leaves before the last vote for the slot is here, and so does not claim *)
Definition R_wait_next : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 3 3 None None None []  (* 6: 3.3 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) [3; 4; 5]  (* 7: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 8: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 9: 2.3 *);
  mkrow 0 4 (Some 7) (Some 7) None []  (* 10: 0.4 *);
  mkrow 1 4 (Some 8) (Some 7) (Some 5) [8; 6; 7; 9]  (* 11: 1.4 *);
  mkrow 2 4 (Some 9) (Some 7) (Some 5) []  (* 12: 2.4 *)].
Definition B_wait_next : Blocks := Teeth.tb R_wait_next.
Definition P_wait_next : Params := par 4 1 3 3 3 2 [3].
Definition E_wait_next := events R_wait_next [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Lie 6); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); 
  (2, Recv 0 5); (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 7); (2, Recv 0 7); (2, Accept 1 3); 
  (2, Accept 1 5); (2, Sign 8); (2, Recv 1 8); (2, Accept 2 3); (2, Accept 2 4); (2, Sign 9); (2, Recv 2 9); 
  (2, Accept 0 7); (2, Accept 1 8); (2, Accept 2 9); (3, Recv 0 6); (3, Recv 1 6); (3, Recv 2 6); (3, Recv 1 7); 
  (3, Recv 2 7); (3, Recv 0 8); (3, Recv 2 8); (3, Recv 1 9); (3, Accept 0 6); (3, Accept 0 8); (3, Sign 10); 
  (3, Recv 0 10); (3, Accept 1 6); (3, Accept 1 7); (3, Accept 1 9); (3, Sign 11); (3, Recv 1 11); (3, Accept 2 6); 
  (3, Accept 2 7); (3, Accept 2 8); (3, Sign 12); (3, Recv 2 12); (3, Accept 0 10); (3, Accept 1 11); 
  (3, Accept 2 12); (4, Recv 0 9); (4, Recv 1 10); (4, Recv 2 10); (4, Recv 0 11); (4, Recv 2 11); (4, Recv 0 12); 
  (4, Recv 1 12); (4, Accept 0 9); (4, Accept 0 11); (4, Accept 0 12); (4, Accept 1 10); (4, Accept 1 12); 
  (4, Accept 2 10); (4, Accept 2 11)].
Definition S_wait_next : list (@state B_wait_next) := @scan P_wait_next B_wait_next init E_wait_next.
Definition Q_wait_next : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 0; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_wait_next := @timed P_wait_next B_wait_next Q_wait_next E_wait_next S_wait_next.
Lemma L_wait_next : @Legal P_wait_next.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_wait_next : @Clocked P_wait_next B_wait_next T_wait_next.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_wait_next : @laws P_wait_next B_wait_next T_wait_next = only 3 /\ @late P_wait_next B_wait_next T_wait_next.
Proof.
  split; [vm_cast_no_check (eq_refl (only 3))|].
  apply (@bare_late P_wait_next B_wait_next T_wait_next L_wait_next C_wait_next 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 takes another for the leader *)
Definition R_same : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 6: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 7: 2.3 *);
  mkrow 0 3 (Some 3) None (Some 0) [3; 4; 5]  (* 8: 0.3 *);
  mkrow 0 4 (Some 8) (Some 8) None []  (* 9: 0.4 *);
  mkrow 1 4 (Some 6) (Some 8) None [6; 7; 8]  (* 10: 1.4 *);
  mkrow 2 4 (Some 7) (Some 8) None []  (* 11: 2.4 *)].
Definition B_same : Blocks := Teeth.tb R_same.
Definition P_same : Params := par 4 1 3 3 3 2 [3].
Definition E_same := events R_same [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Accept 1 3); (2, Accept 1 5); (2, Sign 6); (2, Recv 1 6); 
  (2, Accept 2 3); (2, Accept 2 4); (2, Sign 7); (2, Recv 2 7); (2, Accept 1 6); (2, Accept 2 7); (3, Recv 0 6); 
  (3, Recv 2 6); (3, Recv 0 7); (3, Recv 1 7); (3, Accept 0 6); (3, Accept 0 7); (3, Sign 8); (3, Recv 0 8); 
  (3, Accept 1 7); (3, Accept 2 6); (3, Accept 0 8); (4, Recv 1 8); (4, Recv 2 8); (4, Accept 1 8); (4, Accept 2 8); 
  (11, Sign 9); (11, Recv 0 9); (11, Accept 0 9); (12, Recv 1 9); (12, Recv 2 9); (12, Accept 1 9); (12, Sign 10); 
  (12, Recv 1 10); (12, Accept 2 9); (12, Sign 11); (12, Recv 2 11); (12, Accept 1 10); (12, Accept 2 11); 
  (13, Recv 0 10); (13, Recv 2 10); (13, Recv 0 11); (13, Recv 1 11); (13, Accept 0 10); (13, Accept 0 11); 
  (13, Accept 1 11); (13, Accept 2 10)].
Definition S_same : list (@state B_same) := @scan P_same B_same init E_same.
Definition Q_same : setting := mkset (fun x k => nth k (nth x [[0; 0; 1; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_same := @timed P_same B_same Q_same E_same S_same.
Lemma L_same : @Legal P_same.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_same : @Clocked P_same B_same T_same.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_same : @laws P_same B_same T_same = only 4 /\ @late P_same B_same T_same.
Proof.
  split; [vm_cast_no_check (eq_refl (only 4))|].
  apply (@bare_late P_same B_same T_same L_same C_same 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* a correct node counts as proven to equivocate, and the liar falls silent *)
Definition R_honest : list row := [
  mkrow 3 1 None None None []  (* 0: 3.1 *);
  mkrow 0 1 None None None []  (* 1: 0.1 *);
  mkrow 1 1 None None None []  (* 2: 1.1 *);
  mkrow 2 1 None None None []  (* 3: 2.1 *);
  mkrow 0 2 (Some 1) (Some 1) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 2) (Some 1) None []  (* 5: 1.2 *);
  mkrow 2 2 (Some 3) (Some 1) None [3; 0; 2]  (* 6: 2.2 *)].
Definition B_honest : Blocks := Teeth.tb R_honest.
Definition P_honest : Params := par 4 1 3 3 3 2 [3].
Definition E_honest := events R_honest [
  (0, Lie 0); (0, Sign 1); (0, Recv 0 1); (0, Sign 2); (0, Recv 1 2); (0, Sign 3); (0, Recv 2 3); (0, Accept 0 1); 
  (0, Accept 1 2); (0, Accept 2 3); (1, Recv 0 0); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 1 1); (1, Recv 2 1); 
  (1, Recv 0 2); (1, Recv 2 2); (1, Recv 0 3); (1, Recv 1 3); (1, Accept 0 0); (1, Accept 0 2); (1, Accept 0 3); 
  (1, Sign 4); (1, Recv 0 4); (1, Accept 1 0); (1, Accept 1 1); (1, Accept 1 3); (1, Sign 5); (1, Recv 1 5); 
  (1, Accept 2 0); (1, Accept 2 1); (1, Accept 2 2); (1, Sign 6); (1, Recv 2 6); (1, Accept 0 4); (1, Accept 1 5); 
  (1, Accept 2 6); (2, Recv 1 4); (2, Recv 2 4); (2, Recv 0 5); (2, Recv 2 5); (2, Recv 0 6); (2, Recv 1 6); 
  (2, Accept 0 5); (2, Accept 0 6); (2, Accept 1 4); (2, Accept 1 6); (2, Accept 2 4); (2, Accept 2 5)].
Definition S_honest : list (@state B_honest) := @scan P_honest B_honest init E_honest.
Definition Q_honest : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [0] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_honest := @timed P_honest B_honest Q_honest E_honest S_honest.
Lemma L_honest : @Legal P_honest.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_honest : @Clocked P_honest B_honest T_honest.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_honest : @laws P_honest B_honest T_honest = only 5 /\ @late P_honest B_honest T_honest.
Proof.
  split; [vm_cast_no_check (eq_refl (only 5))|].
  apply (@bare_late P_honest B_honest T_honest L_honest C_honest 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 jumps from round 3 to round 5, and its claim is lost *)
Definition R_order : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 1; 0]  (* 5: 2.2 *);
  mkrow 3 3 None None None []  (* 6: 3.3 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) []  (* 7: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 8: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) [5; 4; 3]  (* 9: 2.3 *);
  mkrow 3 4 (Some 6) (Some 9) None []  (* 10: 3.4 *);
  mkrow 3 5 (Some 10) None None []  (* 11: 3.5 *);
  mkrow 1 4 (Some 8) (Some 9) (Some 5) [8; 9; 6; 7]  (* 12: 1.4 *);
  mkrow 2 4 (Some 9) (Some 9) (Some 5) []  (* 13: 2.4 *);
  mkrow 1 5 (Some 12) (Some 12) (Some 9) [10; 12; 13]  (* 14: 1.5 *);
  mkrow 0 5 (Some 7) (Some 12) (Some 9) []  (* 15: 0.5 *)].
Definition B_order : Blocks := Teeth.tb R_order.
Definition P_order : Params := par 4 1 3 3 3 2 [3].
Definition E_order := events R_order [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Recv 2 1); (0, Recv 1 2); 
  (0, Accept 0 0); (0, Accept 1 1); (0, Accept 1 2); (0, Accept 2 2); (0, Accept 2 1); (1, Recv 1 0); (1, Recv 2 0); 
  (1, Recv 0 1); (1, Recv 0 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Sign 5); (1, Recv 2 5); (1, Recv 2 4); (1, Recv 1 5); 
  (1, Accept 0 3); (1, Accept 1 4); (1, Accept 1 5); (1, Accept 2 5); (1, Accept 2 4); (2, Lie 6); (2, Recv 1 3); 
  (2, Recv 2 3); (2, Recv 0 4); (2, Recv 0 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 7); (2, Recv 0 7); 
  (2, Accept 1 3); (2, Sign 8); (2, Recv 1 8); (2, Accept 2 3); (2, Sign 9); (2, Recv 2 9); (2, Recv 2 8); 
  (2, Recv 1 9); (2, Accept 0 7); (2, Accept 1 8); (2, Accept 1 9); (2, Accept 2 9); (2, Accept 2 8); (3, Lie 10); 
  (3, Lie 11); (3, Recv 0 6); (3, Recv 1 6); (3, Recv 2 6); (3, Recv 1 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 0 9); (3, Recv 1 10); (3, Recv 2 10); (3, Accept 0 6); (3, Accept 0 8); (3, Accept 0 9); (3, Accept 1 6); 
  (3, Accept 1 7); (3, Accept 1 10); (3, Sign 12); (3, Recv 1 12); (3, Accept 2 6); (3, Accept 2 7); (3, Accept 2 10); 
  (3, Sign 13); (3, Recv 2 13); (3, Recv 2 12); (3, Recv 1 13); (3, Accept 1 12); (3, Accept 1 13); (3, Sign 14); 
  (3, Recv 1 14); (3, Accept 2 13); (3, Accept 2 12); (3, Recv 2 14); (3, Accept 1 14); (3, Accept 2 14); 
  (5, Recv 0 10); (5, Recv 0 11); (5, Recv 0 12); (5, Recv 0 13); (5, Recv 0 14); (5, Accept 0 10); (5, Accept 0 11); 
  (5, Accept 0 12); (5, Accept 0 13); (5, Accept 0 14); (5, Sign 15); (5, Recv 0 15); (5, Accept 0 15); 
  (7, Recv 1 15); (7, Recv 2 15); (7, Accept 1 15); (7, Accept 2 15); (8, Recv 2 11); (8, Accept 2 11)].
Definition S_order : list (@state B_order) := @scan P_order B_order init E_order.
Definition Q_order : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 2; 1; 1]; [0; 0; 2; 2; 1; 1]; [0; 0; 2; 2; 1; 1]; [0; 0; 2; 2; 1; 1]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_order := @timed P_order B_order Q_order E_order S_order.
Lemma L_order : @Legal P_order.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_order : @Clocked P_order B_order T_order.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_order : @laws P_order B_order T_order = only 6 /\ @late P_order B_order T_order.
Proof.
  split; [vm_cast_no_check (eq_refl (only 6))|].
  apply (@bare_late P_order B_order T_order L_order C_order 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 leaves the slot's round as soon as it is complete *)
Definition R_leave : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 3 2 None None None []  (* 3: 3.2 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 5: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 6: 2.2 *);
  mkrow 0 3 (Some 4) None None [4; 3; 5]  (* 7: 0.3 *);
  mkrow 2 3 (Some 6) (Some 6) (Some 0) []  (* 8: 2.3 *);
  mkrow 1 3 (Some 5) (Some 6) (Some 0) []  (* 9: 1.3 *);
  mkrow 1 4 (Some 9) (Some 7) None [7; 8; 9]  (* 10: 1.4 *);
  mkrow 0 4 (Some 7) (Some 7) None []  (* 11: 0.4 *);
  mkrow 2 4 (Some 8) (Some 7) None []  (* 12: 2.4 *)].
Definition B_leave : Blocks := Teeth.tb R_leave.
Definition P_leave : Params := par 4 1 3 3 3 2 [3].
Definition E_leave := events R_leave [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Lie 3); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); 
  (1, Recv 0 2); (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 4); (1, Recv 0 4); (1, Accept 1 0); 
  (1, Accept 1 2); (1, Sign 5); (1, Recv 1 5); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 6); (1, Recv 2 6); 
  (1, Accept 0 4); (1, Accept 1 5); (1, Accept 2 6); (2, Recv 0 3); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 1 4); 
  (2, Recv 2 4); (2, Recv 0 5); (2, Recv 2 5); (2, Accept 0 3); (2, Accept 0 5); (2, Sign 7); (2, Recv 0 7); 
  (2, Accept 1 3); (2, Accept 1 4); (2, Accept 2 3); (2, Accept 2 4); (2, Accept 2 5); (2, Sign 8); (2, Recv 2 8); 
  (2, Accept 0 7); (2, Accept 2 8); (3, Recv 0 6); (3, Recv 1 6); (3, Recv 1 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 1 8); (3, Accept 0 6); (3, Accept 0 8); (3, Accept 1 6); (3, Accept 1 7); (3, Accept 1 8); (3, Sign 9); 
  (3, Recv 1 9); (3, Accept 2 7); (3, Accept 1 9); (4, Recv 0 9); (4, Recv 2 9); (4, Accept 0 9); (4, Accept 2 9); 
  (11, Sign 10); (11, Recv 1 10); (11, Accept 1 10); (12, Recv 0 10); (12, Recv 2 10); (12, Accept 0 10); 
  (12, Sign 11); (12, Recv 0 11); (12, Accept 2 10); (12, Sign 12); (12, Recv 2 12); (12, Accept 0 11); 
  (12, Accept 2 12); (13, Recv 1 11); (13, Recv 2 11); (13, Recv 0 12); (13, Recv 1 12); (13, Accept 0 12); 
  (13, Accept 1 11); (13, Accept 1 12); (13, Accept 2 11)].
Definition S_leave : list (@state B_leave) := @scan P_leave B_leave init E_leave.
Definition Q_leave : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_leave := @timed P_leave B_leave Q_leave E_leave S_leave.
Lemma L_leave : @Legal P_leave.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_leave : @Clocked P_leave B_leave T_leave.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_leave : @laws P_leave B_leave T_leave = only 7 /\ @late P_leave B_leave T_leave.
Proof.
  split; [vm_cast_no_check (eq_refl (only 7))|].
  apply (@bare_late P_leave B_leave T_leave L_leave C_leave 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 does not vote for the leader's block that it accepted *)
Definition R_vote : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) None (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 6) None []  (* 9: 0.4 *);
  mkrow 1 4 (Some 7) (Some 6) None [7; 6; 8]  (* 10: 1.4 *);
  mkrow 2 4 (Some 8) (Some 6) None []  (* 11: 2.4 *)].
Definition B_vote : Blocks := Teeth.tb R_vote.
Definition P_vote : Params := par 4 1 3 3 3 2 [3].
Definition E_vote := events R_vote [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 6); (2, Recv 0 6); (2, Accept 1 3); (2, Accept 1 5); 
  (2, Sign 7); (2, Recv 1 7); (2, Accept 2 3); (2, Accept 2 4); (2, Sign 8); (2, Recv 2 8); (2, Accept 0 6); 
  (2, Accept 1 7); (2, Accept 2 8); (3, Recv 1 6); (3, Recv 2 6); (3, Recv 0 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 1 8); (3, Accept 0 7); (3, Accept 0 8); (3, Accept 1 6); (3, Accept 1 8); (3, Accept 2 6); (3, Accept 2 7); 
  (11, Sign 9); (11, Recv 0 9); (11, Sign 10); (11, Recv 1 10); (11, Sign 11); (11, Recv 2 11); (11, Accept 0 9); 
  (11, Accept 1 10); (11, Accept 2 11); (12, Recv 1 9); (12, Recv 2 9); (12, Recv 0 10); (12, Recv 2 10); 
  (12, Recv 0 11); (12, Recv 1 11); (12, Accept 0 10); (12, Accept 0 11); (12, Accept 1 9); (12, Accept 1 11); 
  (12, Accept 2 9); (12, Accept 2 10)].
Definition S_vote : list (@state B_vote) := @scan P_vote B_vote init E_vote.
Definition Q_vote : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_vote := @timed P_vote B_vote Q_vote E_vote S_vote.
Lemma L_vote : @Legal P_vote.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_vote : @Clocked P_vote B_vote T_vote.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_vote : @laws P_vote B_vote T_vote = only 8 /\ @late P_vote B_vote T_vote.
Proof.
  split; [vm_cast_no_check (eq_refl (only 8))|].
  apply (@bare_late P_vote B_vote T_vote L_vote C_vote 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 does not claim what it has evidence for *)
Definition R_claim : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 6) None []  (* 9: 0.4 *);
  mkrow 1 4 (Some 7) (Some 6) (Some 5) [7; 6; 8]  (* 10: 1.4 *);
  mkrow 2 4 (Some 8) (Some 6) (Some 5) []  (* 11: 2.4 *)].
Definition B_claim : Blocks := Teeth.tb R_claim.
Definition P_claim : Params := par 4 1 3 3 3 2 [3].
Definition E_claim := events R_claim [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 6); (2, Recv 0 6); (2, Accept 1 3); (2, Accept 1 5); 
  (2, Sign 7); (2, Recv 1 7); (2, Accept 2 3); (2, Accept 2 4); (2, Sign 8); (2, Recv 2 8); (2, Accept 0 6); 
  (2, Accept 1 7); (2, Accept 2 8); (3, Recv 1 6); (3, Recv 2 6); (3, Recv 0 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 1 8); (3, Accept 0 7); (3, Accept 0 8); (3, Sign 9); (3, Recv 0 9); (3, Accept 1 6); (3, Accept 1 8); 
  (3, Sign 10); (3, Recv 1 10); (3, Accept 2 6); (3, Accept 2 7); (3, Sign 11); (3, Recv 2 11); (3, Accept 0 9); 
  (3, Accept 1 10); (3, Accept 2 11); (4, Recv 1 9); (4, Recv 2 9); (4, Recv 0 10); (4, Recv 2 10); (4, Recv 0 11); 
  (4, Recv 1 11); (4, Accept 0 10); (4, Accept 0 11); (4, Accept 1 9); (4, Accept 1 11); (4, Accept 2 9); 
  (4, Accept 2 10)].
Definition S_claim : list (@state B_claim) := @scan P_claim B_claim init E_claim.
Definition Q_claim : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_claim := @timed P_claim B_claim Q_claim E_claim S_claim.
Lemma L_claim : @Legal P_claim.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_claim : @Clocked P_claim B_claim T_claim.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_claim : @laws P_claim B_claim T_claim = only 9 /\ @late P_claim B_claim T_claim.
Proof.
  split; [vm_cast_no_check (eq_refl (only 9))|].
  apply (@bare_late P_claim B_claim T_claim L_claim C_claim 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* the leader names two of three blocks *)
Definition R_dense : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) None (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) None (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) None (Some 0) []  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 6) None []  (* 9: 0.4 *);
  mkrow 1 4 (Some 7) (Some 6) None [7; 6; 8]  (* 10: 1.4 *);
  mkrow 2 4 (Some 8) (Some 6) None []  (* 11: 2.4 *)].
Definition B_dense : Blocks := Teeth.tb R_dense.
Definition P_dense : Params := par 4 1 3 3 3 2 [3].
Definition E_dense := events R_dense [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Accept 1 3); (2, Accept 1 5); (2, Accept 2 3); (2, Accept 2 4); 
  (10, Sign 6); (10, Recv 0 6); (10, Sign 7); (10, Recv 1 7); (10, Sign 8); (10, Recv 2 8); (10, Accept 0 6); 
  (10, Accept 1 7); (10, Accept 2 8); (11, Recv 1 6); (11, Recv 2 6); (11, Recv 0 7); (11, Recv 2 7); (11, Recv 0 8); 
  (11, Recv 1 8); (11, Accept 0 7); (11, Accept 0 8); (11, Sign 9); (11, Recv 0 9); (11, Accept 1 6); 
  (11, Accept 1 8); (11, Sign 10); (11, Recv 1 10); (11, Accept 2 6); (11, Accept 2 7); (11, Sign 11); 
  (11, Recv 2 11); (11, Accept 0 9); (11, Accept 1 10); (11, Accept 2 11); (12, Recv 1 9); (12, Recv 2 9); 
  (12, Recv 0 10); (12, Recv 2 10); (12, Recv 0 11); (12, Recv 1 11); (12, Accept 0 10); (12, Accept 0 11); 
  (12, Accept 1 9); (12, Accept 1 11); (12, Accept 2 9); (12, Accept 2 10)].
Definition S_dense : list (@state B_dense) := @scan P_dense B_dense init E_dense.
Definition Q_dense : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_dense := @timed P_dense B_dense Q_dense E_dense S_dense.
Lemma L_dense : @Legal P_dense.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_dense : @Clocked P_dense B_dense T_dense.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_dense : @laws P_dense B_dense T_dense = only 10 /\ @late P_dense B_dense T_dense.
Proof.
  split; [vm_cast_no_check (eq_refl (only 10))|].
  apply (@bare_late P_dense B_dense T_dense L_dense C_dense 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 holds the leader's block and never accepts it *)
Definition R_accept : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 6: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 7: 2.3 *)].
Definition B_accept : Blocks := Teeth.tb R_accept.
Definition P_accept : Params := par 4 1 3 3 3 2 [3].
Definition E_accept := events R_accept [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 1 3); (2, Accept 1 5); (2, Sign 6); (2, Recv 1 6); (2, Accept 2 3); 
  (2, Accept 2 4); (2, Sign 7); (2, Recv 2 7); (2, Accept 1 6); (2, Accept 2 7); (3, Recv 0 6); (3, Recv 2 6); 
  (3, Recv 0 7); (3, Recv 1 7); (3, Accept 1 7); (3, Accept 2 6)].
Definition S_accept : list (@state B_accept) := @scan P_accept B_accept init E_accept.
Definition Q_accept : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_accept := @timed P_accept B_accept Q_accept E_accept S_accept.
Lemma L_accept : @Legal P_accept.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_accept : @Clocked P_accept B_accept T_accept.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_accept : @laws P_accept B_accept T_accept = only 11 /\ @late P_accept B_accept T_accept.
Proof.
  split; [vm_cast_no_check (eq_refl (only 11))|].
  apply (@bare_late P_accept B_accept T_accept L_accept C_accept 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 stays in the round of the votes, whatever time it is *)
Definition R_move : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 8: 2.3 *);
  mkrow 1 4 (Some 7) (Some 6) (Some 5) [7; 6; 8]  (* 9: 1.4 *);
  mkrow 2 4 (Some 8) (Some 6) (Some 5) []  (* 10: 2.4 *)].
Definition B_move : Blocks := Teeth.tb R_move.
Definition P_move : Params := par 4 1 3 3 3 2 [3].
Definition E_move := events R_move [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 6); (2, Recv 0 6); (2, Accept 1 3); (2, Accept 1 5); 
  (2, Sign 7); (2, Recv 1 7); (2, Accept 2 3); (2, Accept 2 4); (2, Sign 8); (2, Recv 2 8); (2, Accept 0 6); 
  (2, Accept 1 7); (2, Accept 2 8); (3, Recv 1 6); (3, Recv 2 6); (3, Recv 0 7); (3, Recv 2 7); (3, Recv 0 8); 
  (3, Recv 1 8); (3, Accept 0 7); (3, Accept 0 8); (3, Accept 1 6); (3, Accept 1 8); (3, Sign 9); (3, Recv 1 9); 
  (3, Accept 2 6); (3, Accept 2 7); (3, Sign 10); (3, Recv 2 10); (3, Accept 1 9); (3, Accept 2 10); (4, Recv 0 9); 
  (4, Recv 2 9); (4, Recv 0 10); (4, Recv 1 10); (4, Accept 0 9); (4, Accept 0 10); (4, Accept 1 10); (4, Accept 2 9)].
Definition S_move : list (@state B_move) := @scan P_move B_move init E_move.
Definition Q_move : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_move := @timed P_move B_move Q_move E_move S_move.
Lemma L_move : @Legal P_move.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_move : @Clocked P_move B_move T_move.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_move : @laws P_move B_move T_move = only 12 /\ @late P_move B_move T_move.
Proof.
  split; [vm_cast_no_check (eq_refl (only 12))|].
  apply (@bare_late P_move B_move T_move L_move C_move 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 0 collects the slot while it is in the next round: it accepts 1.4 without evidence and goes on without a claim *)
Definition R_floor : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 3 3 None None None []  (* 6: 3.3 *);
  mkrow 3 4 (Some 6) None None []  (* 7: 3.4 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) [3; 4; 5]  (* 8: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 9: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 10: 2.3 *);
  mkrow 1 4 (Some 9) (Some 8) (Some 5) []  (* 11: 1.4 *);
  mkrow 2 4 (Some 10) (Some 8) (Some 5) [6; 10; 8; 9]  (* 12: 2.4 *);
  mkrow 0 4 (Some 8) (Some 8) None []  (* 13: 0.4 *)].
Definition B_floor : Blocks := Teeth.tb R_floor.
Definition P_floor : Params := par 4 1 3 3 3 3 [3].
Definition E_floor := events R_floor [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Raise 0 2); (2, Lie 6); (2, Lie 7); (2, Recv 1 3); (2, Recv 2 3); 
  (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); (2, Recv 1 5); (2, Recv 0 6); (2, Recv 1 6); (2, Recv 2 6); 
  (2, Recv 0 7); (2, Accept 0 4); (2, Accept 0 5); (2, Accept 0 6); (2, Accept 0 7); (2, Sign 8); (2, Recv 0 8); 
  (2, Accept 1 3); (2, Accept 1 5); (2, Accept 1 6); (2, Sign 9); (2, Recv 1 9); (2, Accept 2 3); (2, Accept 2 4); 
  (2, Accept 2 6); (2, Sign 10); (2, Recv 2 10); (2, Recv 1 8); (2, Recv 2 8); (2, Recv 0 9); (2, Recv 2 9); 
  (2, Recv 1 10); (2, Accept 0 8); (2, Accept 0 9); (2, Accept 1 9); (2, Accept 1 8); (2, Accept 1 10); (2, Sign 11); 
  (2, Recv 1 11); (2, Accept 2 10); (2, Accept 2 8); (2, Accept 2 9); (2, Sign 12); (2, Recv 2 12); (2, Recv 0 11); 
  (2, Recv 2 11); (2, Recv 1 12); (2, Accept 0 11); (2, Sign 13); (2, Recv 0 13); (2, Accept 1 11); (2, Accept 1 12); 
  (2, Accept 2 12); (2, Accept 2 11); (2, Recv 1 13); (2, Recv 2 13); (2, Accept 0 13); (2, Accept 1 13); 
  (2, Accept 2 13); (4, Recv 0 10); (4, Recv 0 12); (4, Accept 0 10); (4, Accept 0 12)].
Definition S_floor : list (@state B_floor) := @scan P_floor B_floor init E_floor.
Definition Q_floor : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 2; 0]; [0; 0; 2; 0; 2; 0]; [0; 0; 2; 0; 2; 0]; [0; 0; 2; 0; 2; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_floor := @timed P_floor B_floor Q_floor E_floor S_floor.
Lemma L_floor : @Legal P_floor.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_floor : @Clocked P_floor B_floor T_floor.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_floor : @laws P_floor B_floor T_floor = only 13 /\ @late P_floor B_floor T_floor.
Proof.
  split; [vm_cast_no_check (eq_refl (only 13))|].
  apply (@bare_late P_floor B_floor T_floor L_floor C_floor 0 1 2 1); vm_cast_no_check (eq_refl true).
Qed.

(* what 0 sends from its vote on is lost *)
Definition R_push : list row := [
  mkrow 0 1 None None None []  (* 0: 0.1 *);
  mkrow 1 1 None None None []  (* 1: 1.1 *);
  mkrow 2 1 None None None []  (* 2: 2.1 *);
  mkrow 0 2 (Some 0) (Some 0) None []  (* 3: 0.2 *);
  mkrow 1 2 (Some 1) (Some 0) None []  (* 4: 1.2 *);
  mkrow 2 2 (Some 2) (Some 0) None [2; 0; 1]  (* 5: 2.2 *);
  mkrow 0 3 (Some 3) (Some 5) (Some 0) [3; 4; 5]  (* 6: 0.3 *);
  mkrow 1 3 (Some 4) (Some 5) (Some 0) []  (* 7: 1.3 *);
  mkrow 2 3 (Some 5) (Some 5) (Some 0) []  (* 8: 2.3 *);
  mkrow 0 4 (Some 6) (Some 6) (Some 5) []  (* 9: 0.4 *)].
Definition B_push : Blocks := Teeth.tb R_push.
Definition P_push : Params := par 4 1 3 3 3 2 [3].
Definition E_push := events R_push [
  (0, Sign 0); (0, Recv 0 0); (0, Sign 1); (0, Recv 1 1); (0, Sign 2); (0, Recv 2 2); (0, Accept 0 0); 
  (0, Accept 1 1); (0, Accept 2 2); (1, Recv 1 0); (1, Recv 2 0); (1, Recv 0 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 1 2); (1, Accept 0 1); (1, Accept 0 2); (1, Sign 3); (1, Recv 0 3); (1, Accept 1 0); (1, Accept 1 2); 
  (1, Sign 4); (1, Recv 1 4); (1, Accept 2 0); (1, Accept 2 1); (1, Sign 5); (1, Recv 2 5); (1, Accept 0 3); 
  (1, Accept 1 4); (1, Accept 2 5); (2, Recv 1 3); (2, Recv 2 3); (2, Recv 0 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 1 5); (2, Accept 0 4); (2, Accept 0 5); (2, Sign 6); (2, Recv 0 6); (2, Accept 1 3); (2, Accept 1 5); 
  (2, Sign 7); (2, Recv 1 7); (2, Accept 2 3); (2, Accept 2 4); (2, Sign 8); (2, Recv 2 8); (2, Accept 0 6); 
  (2, Accept 1 7); (2, Accept 2 8); (3, Recv 0 7); (3, Recv 2 7); (3, Recv 0 8); (3, Recv 1 8); (3, Accept 0 7); 
  (3, Accept 0 8); (3, Sign 9); (3, Recv 0 9); (3, Accept 1 8); (3, Accept 2 7); (3, Accept 0 9)].
Definition S_push : list (@state B_push) := @scan P_push B_push init E_push.
Definition Q_push : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 2 2 1 0 8 8 2 29.
Definition T_push := @timed P_push B_push Q_push E_push S_push.
Lemma L_push : @Legal P_push.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_push : @Clocked P_push B_push T_push.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_push : @laws P_push B_push T_push = only 14 /\ @late P_push B_push T_push.
Proof.
  split; [vm_cast_no_check (eq_refl (only 14))|].
  apply (@bare_late P_push B_push T_push L_push C_push 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* 2's floor is 1, so it accepts and names 3.2, which stands on a block of round 1 that nobody was shown; the floors of
   the others are lower (decision 025) *)
Definition R_kept : list row := [
  mkrow 3 1 None None None []  (* 0: 3.1 *);
  mkrow 0 1 None None None []  (* 1: 0.1 *);
  mkrow 1 1 None None None []  (* 2: 1.1 *);
  mkrow 2 1 None None None []  (* 3: 2.1 *);
  mkrow 3 2 (Some 0) None None []  (* 4: 3.2 *);
  mkrow 0 2 (Some 1) (Some 1) None [1; 2; 3]  (* 5: 0.2 *);
  mkrow 1 2 (Some 2) (Some 1) None []  (* 6: 1.2 *);
  mkrow 2 2 (Some 3) (Some 1) None []  (* 7: 2.2 *);
  mkrow 0 3 (Some 5) (Some 5) (Some 1) [5; 6; 7]  (* 8: 0.3 *);
  mkrow 1 3 (Some 6) (Some 5) (Some 1) []  (* 9: 1.3 *);
  mkrow 2 3 (Some 7) (Some 5) (Some 1) []  (* 10: 2.3 *);
  mkrow 0 4 (Some 8) (Some 8) (Some 5) []  (* 11: 0.4 *);
  mkrow 1 4 (Some 9) (Some 8) (Some 5) []  (* 12: 1.4 *);
  mkrow 2 4 (Some 10) (Some 8) (Some 5) [10; 8; 9; 4]  (* 13: 2.4 *);
  mkrow 2 5 (Some 13) (Some 13) (Some 8) []  (* 14: 2.5 *)].
Definition B_kept : Blocks := Teeth.tb R_kept.
Definition P_kept : Params := par 4 1 3 3 3 2 [3].
Definition E_kept := events R_kept [
  (0, Lie 0); (0, Sign 1); (0, Recv 0 1); (0, Sign 2); (0, Recv 1 2); (0, Sign 3); (0, Recv 2 3); (0, Accept 0 1); 
  (0, Accept 1 2); (0, Accept 2 3); (1, Lie 4); (1, Recv 1 1); (1, Recv 2 1); (1, Recv 0 2); (1, Recv 2 2); 
  (1, Recv 0 3); (1, Recv 1 3); (1, Accept 0 2); (1, Accept 0 3); (1, Sign 5); (1, Recv 0 5); (1, Accept 1 1); 
  (1, Accept 1 3); (1, Sign 6); (1, Recv 1 6); (1, Accept 2 1); (1, Accept 2 2); (1, Sign 7); (1, Recv 2 7); 
  (1, Accept 0 5); (1, Accept 1 6); (1, Accept 2 7); (2, Recv 2 4); (2, Recv 1 5); (2, Recv 2 5); (2, Recv 0 6); 
  (2, Recv 2 6); (2, Recv 0 7); (2, Recv 1 7); (2, Accept 0 6); (2, Accept 0 7); (2, Sign 8); (2, Recv 0 8); 
  (2, Accept 1 5); (2, Accept 1 7); (2, Sign 9); (2, Recv 1 9); (2, Accept 2 5); (2, Accept 2 6); (2, Sign 10); 
  (2, Recv 2 10); (2, Accept 0 8); (2, Accept 1 9); (2, Accept 2 10); (3, Raise 2 1); (3, Recv 1 8); (3, Recv 2 8); 
  (3, Recv 0 9); (3, Recv 2 9); (3, Recv 0 10); (3, Recv 1 10); (3, Accept 0 9); (3, Accept 0 10); (3, Sign 11); 
  (3, Recv 0 11); (3, Accept 1 8); (3, Accept 1 10); (3, Sign 12); (3, Recv 1 12); (3, Accept 2 4); (3, Accept 2 8); 
  (3, Accept 2 9); (3, Sign 13); (3, Recv 2 13); (3, Accept 0 11); (3, Accept 1 12); (3, Accept 2 13); (4, Recv 1 11); 
  (4, Recv 2 11); (4, Recv 0 12); (4, Recv 2 12); (4, Recv 0 13); (4, Recv 1 13); (4, Accept 0 12); (4, Accept 1 11); 
  (4, Accept 2 11); (4, Accept 2 12); (4, Sign 14); (4, Recv 2 14); (4, Accept 2 14); (5, Recv 0 14); (5, Recv 1 14); 
  (6, Recv 0 4); (6, Recv 1 4)].
Definition S_kept : list (@state B_kept) := @scan P_kept B_kept init E_kept.
Definition Q_kept : setting := mkset (fun x k => nth k (nth x [[0; 0; 0; 0; 2; 0; 0; 0]; [0; 0; 0; 0; 2; 0; 0; 0]; [0; 0; 0; 0; 2; 0; 0; 0]; [0; 0; 0; 0; 2; 0; 0; 0]] []) 0)
  [] (fun x k => nth k (nth x [[16; 16; 16; 16; 16; 16; 16; 16]; [16; 16; 16; 16; 16; 16; 16; 16]; [16; 16; 16; 16; 16; 16; 16; 16]; [16; 16; 16; 16; 16; 16; 16; 16]] []) 0)
  3 2 2 2 1 4 16 16 4 63.
Definition T_kept := @timed P_kept B_kept Q_kept E_kept S_kept.
Lemma L_kept : @Legal P_kept.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_kept : @Clocked P_kept B_kept T_kept.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_kept : @laws P_kept B_kept T_kept = only 15 /\ @late P_kept B_kept T_kept.
Proof.
  split; [vm_cast_no_check (eq_refl (only 15))|].
  apply (@bare_late P_kept B_kept T_kept L_kept C_kept 2 3 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* the leader names a block of the liar that it alone was shown, and 0 gets no answer *)
Definition R_ask : list row := [
  mkrow 3 1 None None None []  (* 0: 3.1 *);
  mkrow 0 1 None None None []  (* 1: 0.1 *);
  mkrow 1 1 None None None []  (* 2: 1.1 *);
  mkrow 2 1 None None None []  (* 3: 2.1 *);
  mkrow 0 2 (Some 1) (Some 1) None []  (* 4: 0.2 *);
  mkrow 1 2 (Some 2) (Some 1) None []  (* 5: 1.2 *);
  mkrow 2 2 (Some 3) (Some 1) None [0; 3; 1; 2]  (* 6: 2.2 *);
  mkrow 2 3 (Some 6) (Some 6) (Some 1) []  (* 7: 2.3 *);
  mkrow 1 3 (Some 5) (Some 6) (Some 1) []  (* 8: 1.3 *)].
Definition B_ask : Blocks := Teeth.tb R_ask.
Definition P_ask : Params := par 4 1 3 3 3 2 [3].
Definition E_ask := events R_ask [
  (0, Lie 0); (0, Recv 2 0); (0, Sign 1); (0, Recv 0 1); (0, Sign 2); (0, Recv 1 2); (0, Accept 2 0); (0, Sign 3); 
  (0, Recv 2 3); (0, Accept 0 1); (0, Accept 1 2); (0, Accept 2 3); (1, Recv 1 1); (1, Recv 2 1); (1, Recv 0 2); 
  (1, Recv 2 2); (1, Recv 0 3); (1, Recv 1 3); (1, Accept 0 2); (1, Accept 0 3); (1, Sign 4); (1, Recv 0 4); 
  (1, Accept 1 1); (1, Accept 1 3); (1, Sign 5); (1, Recv 1 5); (1, Accept 2 1); (1, Accept 2 2); (1, Sign 6); 
  (1, Recv 2 6); (1, Accept 0 4); (1, Accept 1 5); (1, Accept 2 6); (2, Recv 1 4); (2, Recv 2 4); (2, Recv 0 5); 
  (2, Recv 2 5); (2, Recv 0 6); (2, Recv 1 6); (2, Accept 0 5); (2, Accept 1 4); (2, Accept 2 4); (2, Accept 2 5); 
  (2, Sign 7); (2, Recv 2 7); (2, Accept 2 7); (3, Recv 0 7); (3, Recv 1 7); (4, Recv 1 0); (4, Accept 1 0); 
  (4, Accept 1 6); (4, Accept 1 7); (4, Sign 8); (4, Recv 1 8); (4, Accept 1 8); (5, Recv 0 8); (5, Recv 2 8); 
  (5, Accept 2 8)].
Definition S_ask : list (@state B_ask) := @scan P_ask B_ask init E_ask.
Definition Q_ask : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[10; 10; 10; 10; 10; 10]; [10; 10; 10; 10; 10; 10]; [10; 10; 10; 10; 10; 10]; [10; 10; 10; 10; 10; 10]] []) 0)
  3 2 2 2 1 2 10 10 2 41.
Definition T_ask := @timed P_ask B_ask Q_ask E_ask S_ask.
Lemma L_ask : @Legal P_ask.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_ask : @Clocked P_ask B_ask T_ask.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_ask : @laws P_ask B_ask T_ask = only 16 /\ @late P_ask B_ask T_ask.
Proof.
  split; [vm_cast_no_check (eq_refl (only 16))|].
  apply (@bare_late P_ask B_ask T_ask L_ask C_ask 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* the leader's block claims 1.1, certified by a vote that the liar showed to the leader alone, and 0 gets no answer *)
Definition R_prove : list row := [
  mkrow 3 1 None None None []  (* 0: 3.1 *);
  mkrow 0 1 None None None []  (* 1: 0.1 *);
  mkrow 1 1 None None None []  (* 2: 1.1 *);
  mkrow 2 1 None None None []  (* 3: 2.1 *);
  mkrow 3 2 None None None []  (* 4: 3.2' *);
  mkrow 3 2 None (Some 2) None []  (* 5: 3.2 *);
  mkrow 0 2 (Some 1) None None [1; 0; 3]  (* 6: 0.2 *);
  mkrow 1 2 (Some 2) (Some 2) None []  (* 7: 1.2 *);
  mkrow 2 2 (Some 3) (Some 2) None []  (* 8: 2.2 *);
  mkrow 0 3 (Some 6) (Some 6) None []  (* 9: 0.3 *);
  mkrow 1 3 (Some 7) None None []  (* 10: 1.3 *);
  mkrow 2 3 (Some 8) (Some 6) (Some 2) [8; 4; 7; 6]  (* 11: 2.3 *);
  mkrow 2 4 (Some 11) (Some 11) None []  (* 12: 2.4 *);
  mkrow 1 4 (Some 10) (Some 11) None []  (* 13: 1.4 *)].
Definition B_prove : Blocks := Teeth.tb R_prove.
Definition P_prove : Params := par 4 1 3 3 3 2 [3].
Definition E_prove := events R_prove [
  (0, Lie 0); (0, Sign 1); (0, Recv 0 1); (0, Sign 2); (0, Recv 1 2); (0, Sign 3); (0, Recv 2 3); (0, Accept 0 1); 
  (0, Accept 1 2); (0, Accept 2 3); (1, Lie 4); (1, Lie 5); (1, Recv 0 0); (1, Recv 1 1); (1, Recv 2 1); 
  (1, Recv 2 2); (1, Recv 0 3); (1, Recv 1 3); (1, Accept 0 0); (1, Accept 0 3); (1, Sign 6); (1, Recv 0 6); 
  (1, Accept 1 1); (1, Accept 1 3); (1, Sign 7); (1, Recv 1 7); (1, Accept 2 1); (1, Accept 2 2); (1, Sign 8); 
  (1, Recv 2 8); (1, Accept 0 6); (1, Accept 1 7); (1, Accept 2 8); (2, Recv 0 2); (2, Recv 0 4); (2, Recv 1 4); 
  (2, Recv 2 4); (2, Recv 2 5); (2, Recv 1 6); (2, Recv 2 6); (2, Recv 0 7); (2, Recv 2 7); (2, Recv 0 8); 
  (2, Recv 1 8); (2, Accept 0 2); (2, Accept 0 4); (2, Accept 0 7); (2, Accept 0 8); (2, Sign 9); (2, Recv 0 9); 
  (2, Accept 1 4); (2, Accept 1 8); (2, Sign 10); (2, Recv 1 10); (2, Accept 2 4); (2, Accept 2 5); (2, Accept 2 7); 
  (2, Accept 0 9); (2, Accept 1 10); (3, Recv 1 9); (3, Recv 2 9); (3, Recv 0 10); (3, Recv 2 10); (3, Accept 0 10); 
  (3, Accept 2 10); (4, Recv 1 0); (4, Recv 2 0); (4, Accept 1 0); (4, Accept 1 6); (4, Accept 1 9); (4, Accept 2 0); 
  (4, Accept 2 6); (4, Accept 2 9); (4, Sign 11); (4, Recv 2 11); (4, Accept 2 11); (5, Recv 0 11); (5, Recv 1 11); 
  (7, Recv 1 5); (7, Accept 1 11); (7, Accept 1 5); (14, Sign 12); (14, Recv 2 12); (14, Accept 2 12); 
  (15, Recv 0 12); (15, Recv 1 12); (15, Accept 1 12); (17, Sign 13); (17, Recv 1 13); (17, Accept 1 13); 
  (18, Recv 0 13); (18, Recv 2 13); (18, Accept 2 13)].
Definition S_prove : list (@state B_prove) := @scan P_prove B_prove init E_prove.
Definition Q_prove : setting := mkset (fun x k => nth k (nth x [[0; 1; 0; 2; 0; 0; 0]; [0; 1; 0; 2; 0; 0; 0]; [0; 1; 0; 2; 0; 0; 0]; [0; 1; 0; 2; 0; 0; 0]] []) 0)
  [] (fun x k => nth k (nth x [[0; 0; 0; 10; 10; 10; 10]; [0; 0; 0; 10; 10; 10; 10]; [10; 10; 10; 10; 10; 10; 10]; [0; 0; 0; 10; 10; 10; 10]] []) 0)
  3 2 2 2 1 2 10 10 3 42.
Definition T_prove := @timed P_prove B_prove Q_prove E_prove S_prove.
Lemma L_prove : @Legal P_prove.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_prove : @Clocked P_prove B_prove T_prove.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_prove : @laws P_prove B_prove T_prove = only 17 /\ @late P_prove B_prove T_prove.
Proof.
  split; [vm_cast_no_check (eq_refl (only 17))|].
  apply (@bare_late P_prove B_prove T_prove L_prove C_prove 1 2 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* the leader names a block that the liar hid, and to ask for it takes longer than was reckoned with *)
Definition R_owed : list row := [
  mkrow 3 1 None None None []  (* 0: 3.1 *);
  mkrow 0 1 None None None []  (* 1: 0.1 *);
  mkrow 1 1 None None None []  (* 2: 1.1 *);
  mkrow 2 1 None None None []  (* 3: 2.1 *);
  mkrow 3 2 None None None []  (* 4: 3.2 *);
  mkrow 0 2 (Some 1) (Some 1) None []  (* 5: 0.2 *);
  mkrow 1 2 (Some 2) (Some 1) None []  (* 6: 1.2 *);
  mkrow 2 2 (Some 3) (Some 1) None [0; 3; 1; 2]  (* 7: 2.2 *);
  mkrow 2 3 (Some 7) (Some 7) (Some 1) []  (* 8: 2.3 *);
  mkrow 0 3 (Some 5) None (Some 1) [5; 4; 6]  (* 9: 0.3 *);
  mkrow 1 3 (Some 6) None (Some 1) []  (* 10: 1.3 *);
  mkrow 2 4 (Some 8) (Some 9) None []  (* 11: 2.4 *);
  mkrow 0 4 (Some 9) (Some 9) None []  (* 12: 0.4 *);
  mkrow 1 4 (Some 10) (Some 9) None [10; 9; 8]  (* 13: 1.4 *)].
Definition B_owed : Blocks := Teeth.tb R_owed.
Definition P_owed : Params := par 4 1 3 3 3 2 [3].
Definition E_owed := events R_owed [
  (0, Lie 0); (0, Recv 2 0); (0, Sign 1); (0, Recv 0 1); (0, Sign 2); (0, Recv 1 2); (0, Accept 2 0); (0, Sign 3); 
  (0, Recv 2 3); (0, Accept 0 1); (0, Accept 1 2); (0, Accept 2 3); (1, Lie 4); (1, Recv 1 1); (1, Recv 2 1); 
  (1, Recv 0 2); (1, Recv 2 2); (1, Recv 0 3); (1, Recv 1 3); (1, Accept 0 2); (1, Accept 0 3); (1, Sign 5); 
  (1, Recv 0 5); (1, Accept 1 1); (1, Accept 1 3); (1, Sign 6); (1, Recv 1 6); (1, Accept 2 1); (1, Accept 2 2); 
  (1, Sign 7); (1, Recv 2 7); (1, Accept 0 5); (1, Accept 1 6); (1, Accept 2 7); (2, Recv 0 4); (2, Recv 1 4); 
  (2, Recv 2 4); (2, Recv 1 5); (2, Recv 2 5); (2, Recv 0 6); (2, Recv 2 6); (2, Recv 0 7); (2, Recv 1 7); 
  (2, Accept 0 4); (2, Accept 0 6); (2, Accept 1 4); (2, Accept 1 5); (2, Accept 2 4); (2, Accept 2 5); 
  (2, Accept 2 6); (2, Sign 8); (2, Recv 2 8); (2, Accept 2 8); (3, Recv 0 8); (3, Recv 1 8); (10, Sign 9); 
  (10, Recv 0 9); (10, Sign 10); (10, Recv 1 10); (10, Accept 0 9); (10, Accept 1 10); (11, Recv 1 9); (11, Recv 2 9); 
  (11, Recv 0 10); (11, Recv 2 10); (11, Accept 0 10); (11, Accept 1 9); (11, Accept 2 9); (11, Accept 2 10); 
  (11, Sign 11); (11, Recv 2 11); (11, Accept 2 11); (12, Recv 0 11); (12, Recv 1 11); (14, Recv 0 0); (14, Recv 1 0); 
  (14, Accept 0 0); (14, Accept 0 7); (14, Accept 0 8); (14, Accept 0 11); (14, Sign 12); (14, Recv 0 12); 
  (14, Accept 1 0); (14, Accept 1 7); (14, Accept 1 8); (14, Accept 1 11); (14, Sign 13); (14, Recv 1 13); 
  (14, Accept 0 12); (14, Accept 1 13); (15, Recv 1 12); (15, Recv 2 12); (15, Recv 0 13); (15, Recv 2 13); 
  (15, Accept 0 13); (15, Accept 1 12); (15, Accept 2 12); (15, Accept 2 13)].
Definition S_owed : list (@state B_owed) := @scan P_owed B_owed init E_owed.
Definition Q_owed : setting := mkset (fun x k => nth k (nth x [[0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]; [0; 0; 2; 0; 1; 0]] []) 0)
  [] (fun x k => nth k (nth x [[8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8]] []) 0)
  3 2 12 2 1 0 8 8 2 29.
Definition T_owed := @timed P_owed B_owed Q_owed E_owed S_owed.
Lemma L_owed : @Legal P_owed.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_owed : @Clocked P_owed B_owed T_owed.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_owed : @laws P_owed B_owed T_owed = only 18 /\ @late P_owed B_owed T_owed.
Proof.
  split; [vm_cast_no_check (eq_refl (only 18))|].
  apply (@bare_late P_owed B_owed T_owed L_owed C_owed 0 1 2 0); vm_cast_no_check (eq_refl true).
Qed.

(* seven nodes, two liars: 0, 1, 2 and the liars are in round 3 at once; 3 and the leader 4 are not told the liars' blocks and
   go on by each other's, a round for each Delta *)
Definition R_fetch : list row := [
  mkrow 5 1 None None None []  (* 0: 5.1 *);
  mkrow 6 1 None None None []  (* 1: 6.1 *);
  mkrow 5 2 (Some 0) None None []  (* 2: 5.2 *);
  mkrow 6 2 (Some 1) None None []  (* 3: 6.2 *);
  mkrow 5 3 (Some 2) None None []  (* 4: 5.3 *);
  mkrow 6 3 (Some 3) None None []  (* 5: 6.3 *);
  mkrow 0 1 None None None []  (* 6: 0.1 *);
  mkrow 1 1 None None None []  (* 7: 1.1 *);
  mkrow 2 1 None None None []  (* 8: 2.1 *);
  mkrow 3 1 None None None []  (* 9: 3.1 *);
  mkrow 4 1 None None None []  (* 10: 4.1 *);
  mkrow 0 2 (Some 6) (Some 6) None []  (* 11: 0.2 *);
  mkrow 1 2 (Some 7) (Some 6) None []  (* 12: 1.2 *);
  mkrow 2 2 (Some 8) (Some 6) None []  (* 13: 2.2 *);
  mkrow 0 3 (Some 11) None None []  (* 14: 0.3 *);
  mkrow 1 3 (Some 12) None None []  (* 15: 1.3 *);
  mkrow 2 3 (Some 13) None None []  (* 16: 2.3 *);
  mkrow 3 2 (Some 9) (Some 6) None []  (* 17: 3.2 *);
  mkrow 4 2 (Some 10) (Some 6) None []  (* 18: 4.2 *);
  mkrow 3 3 (Some 17) None (Some 6) []  (* 19: 3.3 *);
  mkrow 4 3 (Some 18) None (Some 6) [11; 12; 13; 18; 17]  (* 20: 4.3 *);
  mkrow 0 4 (Some 14) None None []  (* 21: 0.4 *);
  mkrow 1 4 (Some 15) None None []  (* 22: 1.4 *);
  mkrow 2 4 (Some 16) None None []  (* 23: 2.4 *);
  mkrow 3 4 (Some 19) (Some 20) None []  (* 24: 3.4 *);
  mkrow 4 4 (Some 20) (Some 20) None []  (* 25: 4.4 *);
  mkrow 0 5 (Some 21) None None []  (* 26: 0.5 *);
  mkrow 1 5 (Some 22) None None []  (* 27: 1.5 *);
  mkrow 2 5 (Some 23) None None []  (* 28: 2.5 *);
  mkrow 3 5 (Some 24) None None []  (* 29: 3.5 *);
  mkrow 4 5 (Some 25) None None []  (* 30: 4.5 *)].
Definition B_fetch : Blocks := Teeth.tb R_fetch.
Definition P_fetch : Params := par 7 2 5 5 5 3 [5; 6].
Definition E_fetch := events R_fetch [
  (0, Lie 0); (0, Lie 1); (0, Lie 2); (0, Lie 3); (0, Lie 4); (0, Lie 5); (0, Recv 0 0); (0, Recv 1 0); (0, Recv 2 0); 
  (0, Recv 0 1); (0, Recv 1 1); (0, Recv 2 1); (0, Recv 0 2); (0, Recv 1 2); (0, Recv 2 2); (0, Recv 0 3); 
  (0, Recv 1 3); (0, Recv 2 3); (0, Recv 0 4); (0, Recv 1 4); (0, Recv 2 4); (0, Recv 0 5); (0, Recv 1 5); 
  (0, Recv 2 5); (0, Accept 0 0); (0, Accept 0 1); (0, Accept 0 2); (0, Accept 0 3); (0, Accept 0 4); (0, Accept 0 5); 
  (0, Sign 6); (0, Recv 0 6); (0, Accept 1 0); (0, Accept 1 1); (0, Accept 1 2); (0, Accept 1 3); (0, Accept 1 4); 
  (0, Accept 1 5); (0, Sign 7); (0, Recv 1 7); (0, Accept 2 0); (0, Accept 2 1); (0, Accept 2 2); (0, Accept 2 3); 
  (0, Accept 2 4); (0, Accept 2 5); (0, Sign 8); (0, Recv 2 8); (0, Sign 9); (0, Recv 3 9); (0, Sign 10); 
  (0, Recv 4 10); (0, Recv 1 6); (0, Recv 2 6); (0, Recv 0 7); (0, Recv 2 7); (0, Recv 0 8); (0, Recv 1 8); 
  (0, Accept 0 6); (0, Accept 0 7); (0, Accept 0 8); (0, Sign 11); (0, Recv 0 11); (0, Accept 1 7); (0, Accept 1 6); 
  (0, Accept 1 8); (0, Sign 12); (0, Recv 1 12); (0, Accept 2 8); (0, Accept 2 6); (0, Accept 2 7); (0, Sign 13); 
  (0, Recv 2 13); (0, Accept 3 9); (0, Accept 4 10); (0, Recv 1 11); (0, Recv 2 11); (0, Recv 0 12); (0, Recv 2 12); 
  (0, Recv 0 13); (0, Recv 1 13); (0, Accept 0 11); (0, Accept 0 12); (0, Accept 0 13); (0, Sign 14); (0, Recv 0 14); 
  (0, Accept 1 12); (0, Accept 1 11); (0, Accept 1 13); (0, Sign 15); (0, Recv 1 15); (0, Accept 2 13); 
  (0, Accept 2 11); (0, Accept 2 12); (0, Sign 16); (0, Recv 2 16); (0, Recv 1 14); (0, Recv 2 14); (0, Recv 0 15); 
  (0, Recv 2 15); (0, Recv 0 16); (0, Recv 1 16); (0, Accept 0 14); (0, Accept 0 15); (0, Accept 0 16); 
  (0, Accept 1 15); (0, Accept 1 14); (0, Accept 1 16); (0, Accept 2 16); (0, Accept 2 14); (0, Accept 2 15); 
  (3, Recv 3 6); (3, Recv 4 6); (3, Recv 3 7); (3, Recv 4 7); (3, Recv 3 8); (3, Recv 4 8); (3, Recv 0 9); 
  (3, Recv 1 9); (3, Recv 2 9); (3, Recv 4 9); (3, Recv 0 10); (3, Recv 1 10); (3, Recv 2 10); (3, Recv 3 10); 
  (3, Recv 3 11); (3, Recv 4 11); (3, Recv 3 12); (3, Recv 4 12); (3, Recv 3 13); (3, Recv 4 13); (3, Recv 3 14); 
  (3, Recv 4 14); (3, Recv 3 15); (3, Recv 4 15); (3, Recv 3 16); (3, Recv 4 16); (3, Accept 0 9); (3, Accept 0 10); 
  (3, Accept 1 9); (3, Accept 1 10); (3, Accept 2 9); (3, Accept 2 10); (3, Accept 3 6); (3, Accept 3 7); 
  (3, Accept 3 8); (3, Accept 3 10); (3, Accept 3 11); (3, Accept 3 12); (3, Accept 3 13); (3, Accept 3 14); 
  (3, Accept 3 15); (3, Accept 3 16); (3, Sign 17); (3, Recv 3 17); (3, Accept 4 6); (3, Accept 4 7); (3, Accept 4 8); 
  (3, Accept 4 9); (3, Accept 4 11); (3, Accept 4 12); (3, Accept 4 13); (3, Accept 4 14); (3, Accept 4 15); 
  (3, Accept 4 16); (3, Sign 18); (3, Recv 4 18); (3, Accept 3 17); (3, Accept 4 18); (6, Recv 0 17); (6, Recv 1 17); 
  (6, Recv 2 17); (6, Recv 4 17); (6, Recv 0 18); (6, Recv 1 18); (6, Recv 2 18); (6, Recv 3 18); (6, Accept 0 17); 
  (6, Accept 0 18); (6, Accept 1 17); (6, Accept 1 18); (6, Accept 2 17); (6, Accept 2 18); (6, Accept 3 18); 
  (6, Sign 19); (6, Recv 3 19); (6, Accept 4 17); (6, Sign 20); (6, Recv 4 20); (6, Accept 3 19); (6, Accept 4 20); 
  (8, Sign 21); (8, Recv 0 21); (8, Sign 22); (8, Recv 1 22); (8, Sign 23); (8, Recv 2 23); (8, Recv 1 21); 
  (8, Recv 2 21); (8, Recv 0 22); (8, Recv 2 22); (8, Recv 0 23); (8, Recv 1 23); (8, Accept 0 21); (8, Accept 0 22); 
  (8, Accept 0 23); (8, Accept 1 22); (8, Accept 1 21); (8, Accept 1 23); (8, Accept 2 23); (8, Accept 2 21); 
  (8, Accept 2 22); (9, Recv 0 19); (9, Recv 1 19); (9, Recv 2 19); (9, Recv 4 19); (9, Recv 0 20); (9, Recv 1 20); 
  (9, Recv 2 20); (9, Recv 3 20); (9, Accept 0 19); (9, Accept 0 20); (9, Accept 1 19); (9, Accept 1 20); 
  (9, Accept 2 19); (9, Accept 2 20); (9, Accept 3 20); (9, Sign 24); (9, Recv 3 24); (9, Accept 4 19); (9, Sign 25); 
  (9, Recv 4 25); (9, Accept 3 24); (9, Accept 4 25); (11, Recv 3 21); (11, Recv 4 21); (11, Recv 3 22); 
  (11, Recv 4 22); (11, Recv 3 23); (11, Recv 4 23); (11, Accept 3 21); (11, Accept 3 22); (11, Accept 3 23); 
  (11, Accept 4 21); (11, Accept 4 22); (11, Accept 4 23); (12, Recv 0 24); (12, Recv 1 24); (12, Recv 2 24); 
  (12, Recv 4 24); (12, Recv 0 25); (12, Recv 1 25); (12, Recv 2 25); (12, Recv 3 25); (12, Accept 0 24); 
  (12, Accept 0 25); (12, Accept 1 24); (12, Accept 1 25); (12, Accept 2 24); (12, Accept 2 25); (12, Accept 3 25); 
  (12, Accept 4 24); (20, Sign 26); (20, Recv 0 26); (20, Sign 27); (20, Recv 1 27); (20, Sign 28); (20, Recv 2 28); 
  (20, Sign 29); (20, Recv 3 29); (20, Sign 30); (20, Recv 4 30); (20, Recv 1 26); (20, Recv 2 26); (20, Recv 0 27); 
  (20, Recv 2 27); (20, Recv 0 28); (20, Recv 1 28); (20, Accept 0 26); (20, Accept 0 27); (20, Accept 0 28); 
  (20, Accept 1 27); (20, Accept 1 26); (20, Accept 1 28); (20, Accept 2 28); (20, Accept 2 26); (20, Accept 2 27); 
  (20, Accept 3 29); (20, Accept 4 30); (23, Recv 3 26); (23, Recv 4 26); (23, Recv 3 27); (23, Recv 4 27); 
  (23, Recv 3 28); (23, Recv 4 28); (23, Recv 0 29); (23, Recv 1 29); (23, Recv 2 29); (23, Recv 4 29); 
  (23, Recv 0 30); (23, Recv 1 30); (23, Recv 2 30); (23, Recv 3 30); (23, Accept 0 29); (23, Accept 0 30); 
  (23, Accept 1 29); (23, Accept 1 30); (23, Accept 2 29); (23, Accept 2 30); (23, Accept 3 26); (23, Accept 3 27); 
  (23, Accept 3 28); (23, Accept 3 30); (23, Accept 4 26); (23, Accept 4 27); (23, Accept 4 28); (23, Accept 4 29)].
Definition S_fetch : list (@state B_fetch) := @scan P_fetch B_fetch init E_fetch.
Definition Q_fetch : setting := mkset (fun x k => nth k (nth x [[0; 0; 5; 4; 6; 5; 0]; [0; 0; 5; 4; 6; 5; 0]; [0; 0; 5; 4; 6; 5; 0]; [0; 0; 5; 4; 6; 5; 0]; [0; 0; 5; 4; 6; 5; 0]; [0; 0; 5; 4; 6; 5; 0]; [0; 0; 5; 4; 6; 5; 0]] []) 0)
  [] (fun x k => nth k (nth x [[0; 0; 0; 8; 8; 8; 8]; [0; 0; 0; 8; 8; 8; 8]; [0; 0; 0; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8; 8]; [8; 8; 8; 8; 8; 8; 8]] []) 0)
  5 3 2 2 1 0 8 8 3 33.
Definition T_fetch := @timed P_fetch B_fetch Q_fetch E_fetch S_fetch.
Lemma L_fetch : @Legal P_fetch.
Proof. apply Teeth.laws_legal. vm_compute. reflexivity. Qed.
Lemma C_fetch : @Clocked P_fetch B_fetch T_fetch.
Proof. apply played_clocked. vm_compute. reflexivity. Qed.
Theorem late_fetch : @laws P_fetch B_fetch T_fetch = only 19 /\ @late P_fetch B_fetch T_fetch.
Proof.
  split; [vm_cast_no_check (eq_refl (only 19))|].
  apply (@bare_late P_fetch B_fetch T_fetch L_fetch C_fetch 0 0 4 0); vm_cast_no_check (eq_refl true).
Qed.

Print Assumptions no_late.
Print Assumptions on_time_good.
Print Assumptions late_live.
Print Assumptions late_complete.
Print Assumptions late_patience.
Print Assumptions late_wait.
Print Assumptions late_wait_next.
Print Assumptions late_same.
Print Assumptions late_honest.
Print Assumptions late_order.
Print Assumptions late_leave.
Print Assumptions late_vote.
Print Assumptions late_claim.
Print Assumptions late_dense.
Print Assumptions late_accept.
Print Assumptions late_move.
Print Assumptions late_floor.
Print Assumptions late_push.
Print Assumptions late_kept.
Print Assumptions late_ask.
Print Assumptions late_prove.
Print Assumptions late_owed.
Print Assumptions late_fetch.
