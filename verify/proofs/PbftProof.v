(* Agreement of the model in Pbft.v. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Pbft.

Section Proofs.
Context {P : PParams} {LG : PLegal P}.

Lemma voted_true l v x p : voted l v x p = true <-> In (mkvote p v x) l.
Proof.
  unfold voted. rewrite existsb_exists. split.
  - intros ([w u y] & HI & H). simpl in H. rewrite !andb_true_iff, !Nat.eqb_eq in H.
    destruct H as [[-> ->] ->]. exact HI.
  - intros HI. eexists. split; [exact HI|]. simpl. now rewrite !Nat.eqb_refl.
Qed.
Lemma spoke_false l v p : spoke l v p = false -> forall x, ~ In (mkvote p v x) l.
Proof.
  intros H x HI. assert (spoke l v p = true); [|congruence].
  unfold spoke. rewrite existsb_exists. eexists. split; [exact HI|]. simpl. now rewrite !Nat.eqb_refl.
Qed.
Lemma own_in l p m : In m (own l p) <-> In m l /\ who m = p.
Proof. unfold own. now rewrite filter_In, Nat.eqb_eq. Qed.

(* last_prepared is a maximum of the own commit votes *)
Lemma last_le l p v x : In (mkvote p v x) l -> v <= fst (last_prepared l p).
Proof.
  intros HI. assert (HO : In (mkvote p v x) (own l p)) by (apply own_in; auto). clear HI.
  unfold last_prepared. induction (own l p) as [|m t IH]; [destruct HO|]. simpl.
  destruct HO as [->|HO]; simpl.
  - destruct (_ <? v) eqn:E; simpl; [lia|]. apply Nat.ltb_ge in E. exact E.
  - specialize (IH HO). destruct (_ <? view m) eqn:E; simpl; [apply Nat.ltb_lt in E|]; lia.
Qed.
Lemma last_in l p : fst (last_prepared l p) <> 0 ->
  In (mkvote p (fst (last_prepared l p)) (snd (last_prepared l p))) l.
Proof.
  assert (HO : forall m, In m (own l p) -> In m l /\ who m = p) by (intros m; apply own_in).
  unfold last_prepared. induction (own l p) as [|m t IH]; simpl; [congruence|]. intros H.
  destruct (_ <? view m) eqn:E; simpl in *.
  - destruct (HO m (or_introl eq_refl)) as [H1 H2]. destruct m; simpl in *. now subst.
  - apply IH; auto.
Qed.

Definition start_of (s : state) (v x : nat) : Prop :=
  exists T by_, chooses v T (changes s v) by_ x = true \/ free T (changes s v) = true.

Record inv (s : state) : Prop := {
  one_vote : forall p v x y, correct p = true -> In (mkvote p v x) (preps s) -> In (mkvote p v y) (preps s) -> x = y;
  com_prep : forall p v x, correct p = true -> In (mkvote p v x) (coms s) -> In (mkvote p v x) (preps s);
  prep_cur : forall p v x, correct p = true -> In (mkvote p v x) (preps s) -> 1 <= v <= cur s p;
  prep_start : forall p v x, correct p = true -> In (mkvote p v x) (preps s) -> v = 1 \/ start_of s v x;
  change_cur : forall p v k, correct p = true -> changes s v p = Some k -> v <= cur s p;
  change_com : forall p v k w x, correct p = true -> changes s v p = Some k ->
      In (mkvote p w x) (coms s) -> w < v -> w <= pview k;
  change_last : forall p v k, correct p = true -> changes s v p = Some k -> pview k <> 0 ->
      In (mkvote p (pview k) (pval k)) (coms s);
  change_seen : forall p v k w x, correct p = true -> changes s v p = Some k -> In (x, w) (seen k) ->
      In (mkvote p w x) (preps s) /\ w < v;
  done_com : forall p x, In (p, x) (done s) -> exists v, q <= weight (coms s) v x
}.

Lemma weight_mono l l' v x : incl l l' -> weight l v x <= weight l' v x.
Proof. intros H. apply wsum_mono. intros p _. rewrite !voted_true. auto. Qed.

Definition grows (ch ch' : nat -> option claim) : Prop := forall p k, ch p = Some k -> ch' p = Some k.
Lemma start_grows s s' v x : grows (changes s v) (changes s' v) -> start_of s v x -> start_of s' v x.
Proof.
  intros HG (T & b & [H|H]); exists T, b; [left|right].
  - unfold chooses in *. apply andb_true_iff in H. destruct H as [HT H]. rewrite HT.
    destruct (changes s v b) as [k|] eqn:E; [|discriminate]. rewrite (HG _ _ E).
    rewrite !andb_true_iff in H. destruct H as [[[H0 H0'] H1] H2].
    rewrite H0, H0', !andb_true_l. apply andb_true_iff. split.
    + destruct rule_agree; [|reflexivity]. simpl in *. rewrite Nat.leb_le in *. etransitivity; [exact H1|].
      apply wsum_mono. intros p _. unfold agrees. rewrite !andb_true_iff. intros [A B]. split; auto.
      destruct (changes s v p) eqn:Ep; [|discriminate]. now rewrite (HG _ _ Ep).
    + rewrite Nat.leb_le in *. etransitivity; [exact H2|]. apply wsum_mono. intros p _. unfold saw.
      rewrite !andb_true_iff. intros [A B]. split; auto.
      destruct (changes s v p) eqn:Ep; [|discriminate]. now rewrite (HG _ _ Ep).
  - unfold free in *. rewrite Nat.leb_le in *. etransitivity; [exact H|]. apply wsum_mono. intros p _. unfold none.
    rewrite !andb_true_iff. intros [A B]. split; auto.
    destruct (changes s v p) eqn:Ep; [|discriminate]. now rewrite (HG _ _ Ep).
Qed.

Lemma correct_byz p : correct p = true -> byz p = true -> False.
Proof. unfold correct. rewrite andb_true_iff, negb_true_iff. intros [_ H] H'. congruence. Qed.

Lemma inv_init : inv init.
Proof. constructor; simpl; try contradiction; try discriminate; intros; contradiction. Qed.

Ltac split_hyps := repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H
  | H : (_ =? _) = true |- _ => apply Nat.eqb_eq in H
  | H : (_ <? _) = true |- _ => apply Nat.ltb_lt in H
  | H : (_ <=? _) = true |- _ => apply Nat.leb_le in H
  | H : negb _ = true |- _ => apply negb_true_iff in H
  end.

Lemma in_view s p v : (cur s p =? v) || negb rule_leave = true -> cur s p = v.
Proof. rewrite Hleave. simpl. rewrite orb_false_r. apply Nat.eqb_eq. Qed.

Lemma inv_step s e s' : inv s -> exec s e = Some s' -> inv s'.
Proof.
  intros I H. destruct e as [m|m|p v k|p v x T b|p v x|p v|p v x|p x T]; cbn [exec] in H.
  - (* a Byzantine prepare *)
    destruct (byz (who m)) eqn:B; [|discriminate]. injection H as <-. destruct I. constructor; simpl; try assumption; eauto 3.
    + intros p v x y C [->|H1] [H2|H2]; eauto 3; subst; simpl in *; try (exfalso; eapply correct_byz; eauto 3; fail).
    + intros p v x C [->|H1]; eauto 3. exfalso. eapply correct_byz; eauto 3.
    + intros p v x C [->|H1]; [exfalso; eapply correct_byz; eauto|]. eauto.
    + intros p v k w x C E HI. destruct (change_seen0 p v k w x C E HI). auto.
  - (* a Byzantine commit *)
    destruct (byz (who m)) eqn:B; [|discriminate]. injection H as <-. destruct I. constructor; simpl; try assumption; eauto 3.
    + intros p v x C [->|H1]; eauto 3. exfalso. eapply correct_byz; eauto 3.
    + intros p v k w x C E [->|H1] L; eauto 3. exfalso. eapply correct_byz; eauto 3.
    + intros p x HD. destruct (done_com0 p x HD) as [v Hv]. exists v. etransitivity; [exact Hv|].
      apply weight_mono. intros z Hz. now right.
  - (* a Byzantine view change *)
    destruct (byz p && past v k && _) eqn:G; [|discriminate]. injection H as <-. split_hyps.
    assert (HG : forall v', grows (changes s v') (set2 (changes s) v p k v')).
    { intros v' p' k' E. unfold set2. destruct ((v' =? v) && (p' =? p)) eqn:Q; auto. split_hyps. subst.
      rewrite E in H0. discriminate. }
    assert (HC : forall v' p' k', correct p' = true -> set2 (changes s) v p k v' p' = Some k' -> changes s v' p' = Some k').
    { intros v' p' k' C E. unfold set2 in E. destruct ((v' =? v) && (p' =? p)) eqn:Q; auto. split_hyps. subst.
      exfalso. eapply correct_byz; eauto 3. }
    destruct I. constructor; simpl; try assumption; eauto 3.
    intros p' v' x' C HI. destruct (prep_start0 p' v' x' C HI) as [E|HS]; auto. right.
    eapply start_grows; [|exact HS]. simpl. apply HG.
  - (* a correct node accepts, and votes to prepare *)
    destruct (correct p && (1 <=? v) && _ && _ && _) eqn:G; [|discriminate]. injection H as <-. split_hyps.
    apply in_view in H2. pose proof (spoke_false _ _ _ H1) as HN.
    assert (HS : v = 1 \/ start_of s v x).
    { unfold started in H0. rewrite Hchoose in H0. simpl in H0. rewrite orb_false_r in H0.
      destruct (v =? 1) eqn:E; [left; now apply Nat.eqb_eq|]. right. exists T, b. simpl in H0.
      apply orb_true_iff in H0. tauto. }
    destruct I. constructor; simpl; try assumption; eauto 3.
    + intros p' v' x' y' C [E1|H5] [E2|H6]; eauto 3.
      * congruence.
      * injection E1 as -> -> ->. exfalso. eapply HN; eauto 3.
      * injection E2 as -> -> ->. exfalso. eapply HN; eauto 3.
    + intros p' v' x' C [E|H5]; eauto 3. injection E as -> -> ->. lia.
    + intros p' v' x' C [E|H5]; [injection E as -> -> ->; exact HS|]. eauto.
    + intros p' v' k w y C E HI. destruct (change_seen0 p' v' k w y C E HI). auto.
  - (* a correct node has prepared, and votes to commit *)
    destruct (correct p && _ && _ && _) eqn:G; [|discriminate]. injection H as <-. split_hyps.
    apply in_view in H2. apply voted_true in H1.
    destruct I. constructor; simpl; try assumption; eauto 3.
    + intros p' v' x' C [E|H5]; eauto 3. injection E as -> -> ->. auto.
    + intros p' v' k w y C E [E2|H5] L; eauto 3. injection E2 as -> -> ->.
      specialize (change_cur0 _ _ _ C E). lia.
    + intros p' y HD. destruct (done_com0 p' y HD) as [v' Hv]. exists v'. etransitivity; [exact Hv|].
      apply weight_mono. intros z Hz. now right.
  - (* a correct node gives its view up *)
    destruct (correct p && (cur s p <? v)) eqn:G; [|discriminate]. injection H as <-. split_hyps.
    assert (HN : changes s v p = None).
    { destruct (changes s v p) as [k|] eqn:E; auto. pose proof (change_cur s I _ _ _ H E). lia. }
    assert (HG : forall v', grows (changes s v') (set2 (changes s) v p (honest s p) v')).
    { intros v' p' k' E. unfold set2. destruct ((v' =? v) && (p' =? p)) eqn:Q; auto. split_hyps. subst. congruence. }
    pose proof I as I0. destruct I. constructor; simpl; try assumption; eauto 3.
    + intros p' v' x C HI. pose proof (prep_cur0 p' v' x C HI). destruct (p' =? p) eqn:E; [|auto].
      apply Nat.eqb_eq in E. subst. lia.
    + intros p' v' x C HI. destruct (prep_start0 p' v' x C HI) as [E|HS]; auto. right.
      eapply start_grows; [|exact HS]. simpl. apply HG.
    + intros p' v' k C E. unfold set2 in E. destruct ((v' =? v) && (p' =? p)) eqn:Q.
      * split_hyps. subst. rewrite Nat.eqb_refl. auto.
      * pose proof (change_cur0 p' v' k C E). destruct (p' =? p) eqn:Q'; [|auto]. apply Nat.eqb_eq in Q'. subst. lia.
    + intros p' v' k w x C E HI L. unfold set2 in E. destruct ((v' =? v) && (p' =? p)) eqn:Q; eauto 3.
      split_hyps. subst. injection E as <-. simpl. eapply last_le; eauto 3.
    + intros p' v' k C E HP. unfold set2 in E. destruct ((v' =? v) && (p' =? p)) eqn:Q; eauto 3.
      split_hyps. subst. injection E as <-. simpl in *. now apply last_in.
    + intros p' v' k w x C E HI. unfold set2 in E. destruct ((v' =? v) && (p' =? p)) eqn:Q; eauto 3.
      split_hyps. subst. injection E as <-. simpl in HI. apply in_map_iff in HI.
      destruct HI as ([pp vv xx] & E & HI). simpl in E. injection E as -> ->.
      apply own_in in HI. simpl in HI. destruct HI as [HI ->]. split; auto.
      pose proof (prep_cur0 _ _ _ C HI). lia.
  - (* a decision by a quorum of commit votes *)
    destruct (_ && (q <=? _)) eqn:G; [|discriminate]. injection H as <-. apply andb_true_iff in G. destruct G as [_ G].
    apply Nat.leb_le in G. destruct I. constructor; simpl; try assumption; eauto 3.
    intros p' x' [E|HD]; eauto 3. injection E as -> ->. eauto.
  - (* a decision by the word of enough others *)
    destruct (_ && (a <=? _) && forallb _ _) eqn:G; [|discriminate]. injection H as <-.
    apply andb_true_iff in G. destruct G as [G HF]. apply andb_true_iff in G. destruct G as [_ G].
    apply Nat.leb_le in G. rewrite forallb_forall in HF.
    destruct I. constructor; simpl; try assumption; eauto 3.
    intros p' x' [E|HD]; eauto 3. injection E as -> ->.
    pose proof byz_le. pose proof Aa. destruct (wsum_pick wt byz T N) as (i & Hi & HT & HB); [lia|].
    specialize (HF i ltac:(apply in_seq; lia)). rewrite HT, HB in HF. simpl in HF.
    apply existsb_exists in HF. destruct HF as ([i' y] & HI & E). simpl in E. split_hyps. subst. eauto.
Qed.
Theorem reach_inv s : reach s -> inv s.
Proof.
  intros [es H]. revert H. generalize inv_init. generalize init as s0.
  induction es as [|e t IH]; simpl; intros s0 I H; [injection H as <-; exact I|].
  destruct (exec s0 e) as [s1|] eqn:E; [|discriminate]. eapply IH; [|exact H]. eapply inv_step; eauto.
Qed.

Lemma common T U : q <= wsum wt T N -> q <= wsum wt U N ->
  exists p, correct p = true /\ T p = true /\ U p = true.
Proof.
  intros H1 H2. pose proof Aq. pose proof byz_le.
  destruct (wsum_quorum wt byz T U N f) as (p & Hp & A & B & C); [lia| |].
  { unfold total in *. lia. }
  exists p. unfold correct. apply Nat.ltb_lt in Hp. now rewrite Hp, C.
Qed.

(* Once a quorum voted to commit x in a view, correct nodes accept nothing else in later ones. *)
Theorem commit_binds s v x : reach s -> q <= weight (coms s) v x ->
  forall v' p y, v < v' -> correct p = true -> In (mkvote p v' y) (preps s) -> y = x.
Proof.
  intros HR HQ. pose proof (reach_inv s HR) as I. induction v' as [v' IH] using lt_wf_ind.
  intros p y Hv Cp HI.
  destruct (prep_start s I p v' y Cp HI) as [->|(T & b & [H|H])].
  - assert (v = 0) by lia. subst. destruct (common _ _ HQ HQ) as (j & Cj & Vj & _).
    apply voted_true in Vj. pose proof (prep_cur s I _ _ _ Cj (com_prep s I _ _ _ Cj Vj)). lia.
  - unfold chooses in H. apply andb_true_iff in H. destruct H as [_ H].
    destruct (changes s v' b) as [k0|]; [|discriminate]. rewrite Hagree in H. simpl in H.
    rewrite !andb_true_iff, !Nat.leb_le, Nat.eqb_eq in H. destruct H as [[[_ _] HA] HW].
    destruct (common _ _ HQ HA) as (j & Cj & Vj & Aj). apply voted_true in Vj.
    unfold agrees in Aj. apply andb_true_iff in Aj. destruct Aj as [_ Aj].
    destruct (changes s v' j) as [k|] eqn:Ek; [|discriminate].
    pose proof (change_com s I j v' k v x Cj Ek Vj Hv) as Hk.
    pose proof byz_le. pose proof Aa.
    destruct (wsum_pick wt byz (saw (pview k0) y T (changes s v')) N) as (i & Hi & Wi & Bi); [lia|].
    unfold saw in Wi. apply andb_true_iff in Wi. destruct Wi as [_ Wi].
    destruct (changes s v' i) as [ki|] eqn:Eki; [|discriminate].
    apply existsb_exists in Wi. destruct Wi as ([y' w] & Sw & E). simpl in E.
    rewrite andb_true_iff, Nat.eqb_eq, Nat.leb_le in E. destruct E as [-> Hw].
    assert (Ci : correct i = true) by (unfold correct; apply Nat.ltb_lt in Hi; now rewrite Hi, Bi).
    destruct (change_seen s I i v' ki w y Ci Eki Sw) as [Pw Lw].
    rewrite orb_true_iff, andb_true_iff, Nat.ltb_lt, !Nat.eqb_eq in Aj.
    destruct (Nat.eq_dec w v) as [->|NE].
    + destruct Aj as [Aj|[Ev Ex]]; [lia|].
      assert (pview k = v) by lia.
      assert (HP : pview k <> 0).
      { pose proof (prep_cur s I _ _ _ Cj (com_prep s I _ _ _ Cj Vj)). lia. }
      pose proof (change_last s I j v' k Cj Ek HP) as HL. rewrite H1, Ex in HL.
      eapply (one_vote s I j v); eauto using com_prep.
    + apply (IH w Lw i y); auto. destruct Aj as [Aj|[Ev _]]; lia.
  - unfold free in H. apply Nat.leb_le in H. destruct (common _ _ HQ H) as (j & Cj & Vj & Nj).
    apply voted_true in Vj. unfold none in Nj. apply andb_true_iff in Nj. destruct Nj as [_ Nj].
    destruct (changes s v' j) as [k|] eqn:Ek; [|discriminate]. apply Nat.eqb_eq in Nj.
    pose proof (change_com s I j v' k v x Cj Ek Vj Hv).
    pose proof (prep_cur s I _ _ _ Cj (com_prep s I _ _ _ Cj Vj)). lia.
Qed.

Lemma commits_agree s v v' x y : reach s -> v <= v' ->
  q <= weight (coms s) v x -> q <= weight (coms s) v' y -> y = x.
Proof.
  intros HR HL H1 H2. pose proof (reach_inv s HR) as I.
  destruct (Nat.eq_dec v v') as [->|NE].
  - destruct (common _ _ H1 H2) as (j & Cj & V1 & V2). apply voted_true in V1. apply voted_true in V2.
    eapply (one_vote s I j v'); eauto using com_prep.
  - destruct (common _ _ H2 H2) as (j & Cj & V2 & _). apply voted_true in V2.
    eapply commit_binds with (v := v) (v' := v'); eauto using com_prep. lia.
Qed.
(* No two correct nodes or observers decide a slot differently, at any times of one run. *)
Theorem pbft_agreement s p p' x y : reach s -> In (p, x) (done s) -> In (p', y) (done s) -> x = y.
Proof.
  intros HR H1 H2. pose proof (reach_inv s HR) as I.
  destruct (done_com s I _ _ H1) as [v Hv]. destruct (done_com s I _ _ H2) as [v' Hv'].
  destruct (le_ge_dec v v'); [symmetry|]; eauto using commits_agree.
Qed.
End Proofs.
Print Assumptions commit_binds.
Print Assumptions pbft_agreement.
