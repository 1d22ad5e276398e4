(* The timed runs of LiveModel.v: states grow, correct nodes enter round after round, and what one of them accepted and
   another holds, that one accepts as soon as its questions are answered (totality). *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof LiveModel.

Lemma imp_elim (a b : bool) : imp a b = true -> a = true -> b = true.
Proof. now intros H ->. Qed.
Lemma and_intro a b : a = true -> b = true -> a && b = true.
Proof. now intros -> ->. Qed.
Lemma both_intro (a b : bool) : a = true -> b = true -> both_of a b = true.
Proof. now intros -> ->. Qed.
(* a law's conclusion, from a tactic for its condition *)
Ltac due H tac := cbv beta in H;
  lazymatch type of H with imp ?a ?b = true =>
    let A := fresh in assert (A : a = true) by tac; apply (fun h => imp_elim a b h A) in H; clear A end.

Section Total.
Context {P : Params} {BT : Blocks} {LG : Legal P} {TM : Timing} {CK : Clocked TM} {LV : Live TM}.

Definition correct (x : nat) : Prop := x < N /\ byz x = false.

(* ---------- reflection ---------- *)
Lemma all_nodes_elim q x : all_nodes q = true -> correct x -> q x = true.
Proof.
  unfold all_nodes. rewrite forallb_forall. intros H [Hx Hz]. specialize (H x).
  rewrite Hz in H. apply H. apply in_seq. lia.
Qed.
Lemma all_times_elim q t : all_times q = true -> t <= hz -> q t (at_ t) = true.
Proof. unfold all_times. rewrite forallb_forall. intros H Ht. apply (H t), in_seq. lia. Qed.
Lemma all_blocks_elim q B : all_blocks q = true -> In B (net (after len)) -> q B = true.
Proof. unfold all_blocks. rewrite forallb_forall. auto. Qed.
Lemma below_elim q lo n k : forallb q (seq lo n) = true -> lo <= k < lo + n -> q k = true.
Proof. rewrite forallb_forall. intros H Hk. apply H, in_seq. lia. Qed.

(* ---------- states only grow ---------- *)
Record grows (s s' : state) : Prop := {
  g_net : incl (net s) (net s'); g_hld : forall x, incl (hld s x) (hld s' x);
  g_acc : forall x, incl (acc s x) (acc s' x); g_flr : forall x, flr s x <= flr s' x }.
Lemma grows_refl s : grows s s.
Proof. constructor; intros; auto using incl_refl. Qed.
Lemma grows_trans s1 s2 s3 : grows s1 s2 -> grows s2 s3 -> grows s1 s3.
Proof. intros [] []. constructor; intros; try (eapply incl_tran; eauto; fail). etransitivity; eauto. Qed.
Lemma exec_grows s e s' : exec s e = Some s' -> grows s s'.
Proof.
  assert (U : forall (h : nat -> list Blk) p B x, incl (h x) (upd h p (B :: h p) x)).
  { intros h p B x. unfold upd. destruct (x =? p) eqn:E; [apply Nat.eqb_eq in E; subst; apply incl_tl|]; apply incl_refl. }
  destruct e; simpl; intros H.
  - destruct (byz (author B)); inversion H. constructor; simpl; auto using incl_refl, incl_tl.
  - destruct (may_sign s B); inversion H. constructor; simpl; auto using incl_refl, incl_tl.
  - destruct (memb B (net s)); inversion H. constructor; simpl; auto using incl_refl.
  - destruct (acceptable _ _ _ B); inversion H. constructor; simpl; auto using incl_refl.
  - inversion H. constructor; simpl; auto using incl_refl. intros x. unfold upd.
    destruct (x =? p) eqn:E; [apply Nat.eqb_eq in E; subst; apply Nat.le_max_r|auto].
Qed.
Lemma later_grows s s' : later s s' -> grows s s'.
Proof.
  intros [es H]. revert s H. induction es as [|e t IH]; simpl; intros s H.
  - inversion H. apply grows_refl.
  - destruct (exec s e) eqn:E; [|discriminate]. eapply grows_trans; [eapply exec_grows; eauto|auto].
Qed.
Lemma run_reaches i : i <= len -> reach (after i).
Proof.
  induction i as [|i IH]; intros H; [exists []; simpl; now rewrite starts|].
  destruct IH as [es E]; [lia|]. destruct (stepped i) as [es' E']; [lia|].
  exists (es ++ es'). now rewrite (run_app _ _ (after i)).
Qed.
Lemma grow i j : i <= j -> j <= len -> grows (after i) (after j).
Proof.
  intros Hij. induction Hij as [|j Hij IH]; intros H; [apply grows_refl|].
  eapply grows_trans; [apply IH; lia|]. apply later_grows, stepped. lia.
Qed.
Lemma ok i : i <= len -> inv (after i).
Proof. intros H. now apply reach_inv, run_reaches. Qed.

(* ---------- steps and instants ---------- *)
Lemma made_le k t : made k t <= k.
Proof. induction k as [|k IH]; simpl; auto. destruct (time k <=? t); lia. Qed.
Lemma upto_len t : upto t <= len.
Proof. apply made_le. Qed.
Lemma made_in k t i : k <= len -> i < k -> time i <= t -> i < made k t.
Proof.
  induction k as [|k IH]; simpl; intros Hk Hi Ht; [lia|].
  destruct (time k <=? t) eqn:E; [lia|]. apply Nat.leb_gt in E. apply IH; try lia.
  destruct (Nat.eq_dec i k) as [->|]; lia.
Qed.
Lemma upto_in t i : i < len -> time i <= t -> i < upto t.
Proof. intros. apply made_in; auto. Qed.
Lemma made_out k t i : k <= len -> i < made k t -> time i <= t.
Proof.
  induction k as [|k IH]; simpl; intros Hk Hi; [lia|]. destruct (time k <=? t) eqn:E; [|apply IH; lia].
  apply Nat.leb_le in E. pose proof (ordered i k). lia.
Qed.
Lemma upto_out t i : i < upto t -> time i <= t.
Proof. apply made_out. lia. Qed.
Lemma upto_mono t t' : t <= t' -> upto t <= upto t'.
Proof.
  intros H. destruct (upto t) as [|j] eqn:E; [lia|]. pose proof (upto_len t).
  apply (upto_in t' j); [lia|]. pose proof (upto_out t j). lia.
Qed.
Lemma upto_before t i : i < len -> t < time i -> upto t <= i.
Proof.
  intros Hi Ht. destruct (le_lt_dec (upto t) i) as [|H]; auto. apply upto_out in H. lia.
Qed.
Lemma at_grows t t' : t <= t' -> grows (at_ t) (at_ t').
Proof. intros. apply grow; [apply upto_mono; auto|apply upto_len]. Qed.
Lemma at_after t i : i <= len -> upto t <= i -> grows (at_ t) (after i).
Proof. intros. now apply grow. Qed.
Lemma after_at t i : i < len -> time i <= t -> grows (after (S i)) (at_ t).
Proof. intros. apply grow; [now apply upto_in|apply upto_len]. Qed.
Lemma in_run i B : i <= len -> In B (net (after i)) -> In B (net (after len)).
Proof. intros H. apply (g_net _ _ (grow i len H (le_n _))). Qed.

(* ---------- what is signed ---------- *)
Lemma signs_inv i B : signs i B = true ->
  correct (author B) /\ In B (net (after (S i))) /\ ~ In B (net (after i)).
Proof.
  unfold signs, correct. rewrite !andb_true_iff, !negb_true_iff, Nat.ltb_lt, memb_true.
  intros [[[H1 H2] H3] H4]. repeat split; auto. intros I. apply memb_true in I. congruence.
Qed.
Lemma all_signed_elim q i B : all_signed q = true -> i < len -> signs i B = true -> q i B = true.
Proof.
  intros H Hi HS. unfold all_signed, all_steps in H. apply (below_elim _ _ _ i) in H; [|lia].
  destruct (signs_inv i B HS) as (_ & I & _).
  eapply all_blocks_elim in H; [eapply imp_elim; eauto|]. eapply (in_run (S i)); eauto.
Qed.
Lemma signed_at i B : i <= len -> correct (author B) -> In B (net (after i)) -> exists j, j < i /\ signs j B = true.
Proof.
  induction i as [|i IH]; intros Hi HC I; [rewrite starts in I; destruct I|].
  destruct (memb B (net (after i))) eqn:E.
  - apply memb_true in E. destruct IH as (j & ? & ?); auto; [lia|]. exists j. split; auto.
  - exists i. split; [lia|]. destruct HC as [H1 H2]. unfold signs.
    rewrite (proj2 (Nat.ltb_lt _ _) H1), H2, (proj2 (memb_true _ _) I), E. reflexivity.
Qed.
Lemma same_block i B B' : i <= len -> correct (author B) -> In B (net (after i)) -> In B' (net (after i)) ->
  author B = author B' -> round B = round B' -> B = B'.
Proof. intros Hi [_ HB] I I' HA HR. apply (one_block _ (proj1 (ok i Hi))); auto. Qed.

Lemma accepted i x B : i <= len -> In B (acc (after i) x) ->
  In B (net (after i)) /\ In B (hld (after i) x) /\ wf_block (flr (after i) x) (acc (after i) x) B = true
  /\ evid_ok (flr (after i) x) (hld (after i) x) B = true.
Proof.
  intros Hi I. destruct (ok i Hi) as [_ VV].
  destruct (view_acc (net (after i)) (view_of (after i) x) B (VV x) I) as (H1 & H2 & H3).
  repeat split; auto. destruct (VV x) as [_ HA]. simpl in HA. rewrite forallb_forall in HA.
  specialize (HA B I). unfold acceptable in HA. rewrite !andb_true_iff in HA. apply memb_true, HA.
Qed.
Lemma held_in i x : i <= len -> incl (hld (after i) x) (net (after i)).
Proof. intros Hi. destruct (ok i Hi) as [_ VV]. apply (VV x). Qed.

Lemma entered_true s p k : 1 <= k ->
  (entered s p k = true <-> exists B, In B (net s) /\ author B = p /\ round B = k).
Proof.
  intros Hk. unfold entered. rewrite (proj2 (Nat.eqb_neq k 0)) by lia. simpl. rewrite existsb_exists.
  split; intros (B & I & H); exists B; rewrite andb_true_iff, !Nat.eqb_eq in *; tauto.
Qed.
Lemma entered_mono s s' p k : grows s s' -> entered s p k = true -> entered s' p k = true.
Proof.
  intros G. destruct k as [|k]; [reflexivity|]. rewrite !entered_true by lia.
  intros (B & I & H). exists B. split; auto. now apply (g_net _ _ G).
Qed.
(* a correct node enters round after round *)
Lemma entered_before i p k : i <= len -> correct p -> entered (after i) p (S k) = true -> entered (after i) p k = true.
Proof.
  intros Hi HC H. apply entered_true in H; [|lia]. destruct H as (B & I & HA & HR).
  subst p. destruct (signed_at i B Hi HC I) as (j & Hj & HS).
  pose proof (all_signed_elim _ j B Lorder ltac:(lia) HS) as H. simpl in H.
  replace (round B - 1) with k in H by lia. eapply entered_mono; [|exact H]. apply grow; lia.
Qed.
Lemma entered_down i p k : i <= len -> correct p -> forall j, j <= k ->
  entered (after i) p k = true -> entered (after i) p j = true.
Proof.
  intros Hi HC j Hj. induction Hj as [|k Hj IH]; auto. intros H. apply IH, entered_before; auto.
Qed.
Lemma beyond_entered i p k : i <= len -> correct p -> beyond (after i) p k = true -> entered (after i) p (S k) = true.
Proof.
  intros Hi HC H. unfold beyond in H. apply existsb_exists in H. destruct H as (B & I & H).
  rewrite andb_true_iff, Nat.eqb_eq, Nat.ltb_lt in H. destruct H as [HA HR].
  apply (entered_down i p (round B)); auto. apply entered_true; [lia|]. exists B. auto.
Qed.
(* slots near the own round are above the floor *)
Lemma low_floor i x k : i <= len -> correct x -> 1 <= k <= slot + 2 -> entered (after i) x (k + 2) = false ->
  flr (after i) x < k.
Proof.
  intros Hi HC Hk HE. pose proof Lfloor as H. unfold law_floor in H.
  apply (below_elim _ _ _ i) in H; [|lia]. eapply all_nodes_elim in H; [|exact HC].
  apply (below_elim _ _ _ k) in H; [|lia]. destruct (le_lt_dec k (flr (after i) x)) as [L|]; auto.
  rewrite (imp_elim _ _ H (proj2 (Nat.leb_le _ _) L)) in HE. discriminate.
Qed.

Lemma settled_true s x B : settled s x B = true <-> round B <= flr s x \/ In B (acc s x).
Proof. unfold settled. now rewrite orb_true_iff, Nat.leb_le, memb_true. Qed.
Lemma settled_mono s s' x B : grows s s' -> settled s x B = true -> settled s' x B = true.
Proof.
  intros G. rewrite !settled_true. intros [H|H]; [left|right; now apply (g_acc _ _ G)].
  pose proof (g_flr _ _ G x). lia.
Qed.
Lemma evid_mono s s' x B : grows s s' -> evid_ok (flr s x) (hld s x) B = true -> evid_ok (flr s' x) (hld s' x) B = true.
Proof.
  intros G. unfold evid_ok. destruct (claim B) as [L|]; auto. rewrite !orb_true_iff, !Nat.leb_le.
  intros [H|H]; [left; pose proof (g_flr _ _ G x); lia|right]. eapply evidence_mono; [apply (g_hld _ _ G)|exact H].
Qed.

(* ---------- acceptance is total ---------- *)
Lemma max_in l n : In n l -> n <= fold_right Nat.max 0 l.
Proof. induction l as [|x l IH]; simpl; [tauto|]. intros [->|I]; [lia|]. specialize (IH I). lia. Qed.
Lemma max_le (h h' : Blk -> nat) l : (forall e, In e l -> h e <= h' e) ->
  fold_right Nat.max 0 (map h l) <= fold_right Nat.max 0 (map h' l).
Proof.
  induction l as [|x l IH]; simpl; intros H; auto. pose proof (H x (or_introl eq_refl)).
  assert (fold_right Nat.max 0 (map h l) <= fold_right Nat.max 0 (map h' l)) by (apply IH; auto). lia.
Qed.
Lemma cost_mono s s' x k : grows s s' -> forall B, cost s' x k B <= cost s x k B.
Proof.
  intros G. induction k as [|k IH]; intros B; simpl.
  - destruct (settled s x B) eqn:E; [rewrite (settled_mono s s') by auto; lia|].
    destruct (settled s' x B); lia.
  - destruct (settled s x B) eqn:E; [rewrite (settled_mono s s') by auto; lia|].
    destruct (settled s' x B); [lia|]. apply Nat.add_le_mono.
    + apply max_le. intros e _. apply Nat.add_le_mono; auto.
      destruct (settled s x e) eqn:E1; [rewrite (settled_mono s s') by auto; simpl; lia|]. simpl.
      destruct (memb e (hld s x)) eqn:E2.
      * apply memb_true in E2. apply (g_hld _ _ G) in E2. apply memb_true in E2. rewrite E2.
        destruct (settled s' x e); simpl; lia.
      * destruct (settled s' x e || memb e (hld s' x)); lia.
    + destruct (evid_ok (flr s x) (hld s x) B) eqn:E1; [rewrite (evid_mono s s') by auto; lia|].
      destruct (evid_ok (flr s' x) (hld s' x) B); lia.
Qed.
Lemma both_elim q t x p B : both q = true -> GST <= t <= hz -> correct x -> correct p ->
  In B (hld (at_ t) x) -> In B (acc (at_ t) p) -> settled (at_ t) x B = false -> q t (at_ t) x p B = true.
Proof.
  intros H [Ht Hz] Cx Cp Ih Ia ES. unfold both in H. eapply all_times_elim in H; [|exact Hz].
  eapply all_nodes_elim in H; [|exact Cx]. eapply all_nodes_elim in H; [|exact Cp].
  destruct (accepted (upto t) p B) as (I & _); [apply upto_len|exact Ia|].
  eapply all_blocks_elim in H; [|eapply in_run; [apply upto_len|exact I]].
  eapply imp_elim; [exact H|]. rewrite ES. repeat apply both_intro; try apply memb_true; auto. now apply Nat.leb_le.
Qed.
Lemma accepts_at t x B p : GST <= t <= hz -> correct x -> In B (hld (at_ t) x) -> In B (acc (at_ t) p) ->
  forallb (settled (at_ t) x) (edges B) = true -> evid_ok (flr (at_ t) x) (hld (at_ t) x) B = true ->
  In B (acc (at_ t) x).
Proof.
  intros [Ht Hz] Cx Ih Ia HE HV.
  destruct (accepted (upto t) p B) as (I & _ & W & _); [apply upto_len|exact Ia|].
  pose proof Laccept as H. unfold law_accept in H. eapply all_times_elim in H; [|exact Hz].
  eapply all_nodes_elim in H; [|exact Cx].
  eapply all_blocks_elim in H; [|eapply in_run; [apply upto_len|exact I]].
  destruct (memb B (acc (at_ t) x)) eqn:EM; [now apply memb_true|]. exfalso. enough (false = true) by discriminate.
  eapply imp_elim; [exact H|]. apply both_intro; [now apply Nat.leb_le|apply both_intro; [now apply memb_true|apply both_intro; [reflexivity|]]].
  unfold acceptable. apply and_intro; [apply and_intro; [now apply memb_true|]|now rewrite HV, orb_true_r].
  unfold wf_block in *. rewrite !andb_true_iff in *.
  destruct W as [[[[[[_ W1] W2] W3] W4] W5] W6]. repeat split; auto.
Qed.
(* What one correct node accepted and another holds, that one accepts as soon as its questions are answered. *)
Theorem totality k : forall t x p B, correct x -> correct p -> GST <= t ->
  In B (hld (at_ t) x) -> In B (acc (at_ t) p) -> cost (at_ t) x k B <= owed -> t + cost (at_ t) x k B <= hz ->
  settled (at_ (t + cost (at_ t) x k B)) x B = true.
Proof.
  induction k as [|k IH]; intros t x p B Cx Cp Ht Ih Ia HO HZ; simpl in *;
    (destruct (settled (at_ t) x B) eqn:ES; [now rewrite Nat.add_0_r|]); [lia|].
  set (h := fun e => (if settled (at_ t) x e || memb e (hld (at_ t) x) then 0 else ask) + cost (at_ t) x k e) in *.
  set (b := fold_right Nat.max 0 (map h (edges B))) in *.
  set (w := if evid_ok (flr (at_ t) x) (hld (at_ t) x) B then 0 else prove) in *.
  assert (Hb : forall e, In e (edges B) -> h e <= b) by (intros; apply max_in, in_map; auto).
  assert (HE : forallb (settled (at_ (t + b)) x) (edges B) = true).
  { apply forallb_forall. intros e He. pose proof (Hb e He) as Le. unfold h in Le.
    destruct (settled (at_ t) x e) eqn:E1; simpl in Le.
    { eapply settled_mono; [|exact E1]. apply at_grows. lia. }
    pose proof (both_elim _ t x p B Lkept ltac:(lia) Cx Cp Ih Ia ES) as HK. rewrite forallb_forall in HK. specialize (HK e He).
    unfold settled in E1. apply orb_false_iff in E1. destruct E1 as [E0 E1]. rewrite E0, orb_false_r in HK.
    apply memb_true in HK.
    destruct (memb e (hld (at_ t) x)) eqn:E2.
    - apply memb_true in E2.
      eapply settled_mono; [apply (at_grows (t + cost (at_ t) x k e)); lia|].
      apply (IH t x p e); auto; lia.
    - pose proof (both_elim _ t x p B Lask ltac:(lia) Cx Cp Ih Ia ES) as HL. simpl in HL.
      due HL ltac:(apply Nat.leb_le; lia). rewrite forallb_forall in HL. specialize (HL e He).
      due HL ltac:(now apply memb_true). apply orb_true_iff in HL. destruct HL as [HL|HL].
      2:{ eapply settled_mono; [apply (at_grows (t + ask)); lia|]. unfold settled. now rewrite HL. }
      apply memb_true in HL.
      pose proof (cost_mono _ _ x k (at_grows t (t + ask) ltac:(lia)) e) as HC.
      eapply settled_mono; [apply (at_grows (t + ask + cost (at_ (t + ask)) x k e)); lia|].
      apply (IH (t + ask) x p e); auto; try lia.
      apply (g_acc _ _ (at_grows t (t + ask) ltac:(lia))). auto. }
  (* all below is here: now the evidence *)
  assert (G : grows (at_ t) (at_ (t + b))) by (apply at_grows; lia).
  assert (G' : grows (at_ (t + b)) (at_ (t + (b + w)))) by (apply at_grows; lia).
  destruct (settled (at_ (t + b)) x B) eqn:ES'; [eapply settled_mono; [exact G'|exact ES']|].
  assert (HV : evid_ok (flr (at_ (t + (b + w))) x) (hld (at_ (t + (b + w))) x) B = true).
  { unfold w in *. destruct (evid_ok (flr (at_ t) x) (hld (at_ t) x) B) eqn:EV.
    { rewrite Nat.add_0_r in *. eapply evid_mono; [exact G|exact EV]. }
    pose proof (both_elim _ (t + b) x p B Lprove ltac:(lia) Cx Cp (g_hld _ _ G x B Ih) (g_acc _ _ G p B Ia) ES') as HL.
    simpl in HL. rewrite Nat.add_assoc. eapply imp_elim; [exact HL|]. apply and_intro; [apply Nat.leb_le; lia|exact HE]. }
  apply settled_true. right. apply (accepts_at _ x B p); auto; try lia.
  - apply (g_hld _ _ G'), (g_hld _ _ G). auto.
  - apply (g_acc _ _ G'), (g_acc _ _ G). auto.
  - rewrite forallb_forall in *. intros e He. eapply settled_mono; [exact G'|auto].
Qed.
Corollary accepts_within t x p B : correct x -> correct p -> GST <= t -> t + owed <= hz ->
  In B (hld (at_ t) x) -> In B (acc (at_ t) p) -> settled (at_ (t + owed)) x B = true.
Proof.
  intros Cx Cp Ht HZ Ih Ia.
  destruct (settled (at_ t) x B) eqn:ES; [eapply settled_mono; [apply (at_grows t); lia|exact ES]|].
  pose proof (both_elim _ t x p B Lowed ltac:(lia) Cx Cp Ih Ia ES) as HL.
  apply Nat.leb_le in HL. eapply settled_mono; [apply (at_grows (t + cost (at_ t) x (round B) B)); lia|].
  apply (totality (round B) t x p B); auto; lia.
Qed.
End Total.

Print Assumptions totality.
Print Assumptions accepts_within.
