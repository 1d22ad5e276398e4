(* The certified family, model in Certified.v: names are unique, the gate, a committed anchor is reached by every later
   one, and the logs of any two nodes agree, through garbage collection and logs taken over from others. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Certified.

Section Proofs.
Context {P : CParams} {VT : Vertices}.

(* ---------- reflection ---------- *)
Lemma memv_true x X : memv x X = true <-> In x X.
Proof. unfold memv. destruct (in_dec veq_dec x X); split; intros; auto; congruence. Qed.
Lemma memn_true n X : memn n X = true <-> In n X.
Proof.
  unfold memn. rewrite existsb_exists. split.
  - intros ([a r] & I & E). rewrite andb_true_iff, !Nat.eqb_eq in E. destruct n; simpl in E. destruct E; subst. auto.
  - intros I. exists n. now rewrite !Nat.eqb_refl.
Qed.
Lemma named_true n x : named n x = true <-> nm x = n.
Proof.
  unfold named, nm. rewrite andb_true_iff, !Nat.eqb_eq. destruct n; simpl.
  split; intros H; [destruct H; congruence|inversion H; auto].
Qed.
Lemma here_true D n : here D n = true <-> exists x, In x D /\ nm x = n.
Proof. unfold here. rewrite existsb_exists. split; intros (x & I & E); exists x; split; auto; now apply named_true. Qed.
Lemma here_mono D D' n : incl D D' -> here D n = true -> here D' n = true.
Proof. intros HI. rewrite !here_true. intros (x & I & E). eauto. Qed.
Lemma settled_mono fl fl' D D' n : fl <= fl' -> incl D D' -> settled fl D n = true -> settled fl' D' n = true.
Proof.
  unfold settled. rewrite !orb_true_iff, !Nat.leb_le. intros HF HI [H|H]; [left; lia|right; eapply here_mono; eauto].
Qed.
Lemma voted_true s x p : voted s x p = true <-> In (p, x) (votes s).
Proof.
  unfold voted. rewrite existsb_exists. split.
  - intros ([p' x'] & H1 & H2). simpl in H2. apply andb_true_iff in H2. rewrite Nat.eqb_eq in H2.
    destruct H2 as [-> H2]. destruct (veq_dec x' x); [subst; auto|discriminate].
  - intros H. exists (p, x). simpl. rewrite Nat.eqb_refl. split; auto. now destruct (veq_dec x x).
Qed.
Lemma headers_in s p x : In x (headers s p) <-> In (p, x) (votes s) /\ va x = p.
Proof.
  unfold headers. rewrite in_map_iff. split.
  - intros ([p' x'] & E & H). simpl in E. subst x'. apply filter_In in H. destruct H as [H1 H2].
    simpl in H2. apply andb_true_iff in H2. rewrite !Nat.eqb_eq in H2. destruct H2; subst; auto.
  - intros [H1 H2]. exists (p, x). split; auto. apply filter_In. split; auto. simpl. subst. now rewrite !Nat.eqb_refl.
Qed.
Lemma own_in s p x : In x (own s p) <-> In x (cert s) /\ va x = p.
Proof. unfold own. rewrite filter_In, Nat.eqb_eq. tauto. Qed.
Lemma is_anchor_spec x : is_anchor x = true -> va x = leader (vr x) /\ Nat.Even (vr x) /\ 2 <= vr x.
Proof. unfold is_anchor. rewrite !andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.even_spec. tauto. Qed.
Lemma valid_down x n : vvalid x = true -> In n (names x) -> snd n < vr x.
Proof.
  unfold vvalid. rewrite !andb_true_iff, forallb_forall. intros [[_ H] _] I. apply Nat.ltb_lt. auto.
Qed.
Lemma valid_round x : vvalid x = true -> 1 <= vr x.
Proof. unfold vvalid. rewrite !andb_true_iff, (Nat.leb_le 1). tauto. Qed.

(* ---------- histories ---------- *)
Lemma hist_trans C ok x y z : hist C ok x y -> hist C ok y z -> hist C ok x z.
Proof. intros H1 H2. induction H2; auto. eapply h_step; eauto. Qed.
Lemma hist_in C ok x y : hist C ok x y -> In x C -> In y C.
Proof. intros H I. induction H; auto. Qed.
Lemma hist_ok C ok x y : hist C ok x y -> y = x \/ ok (nm y) = true.
Proof. intros H. destruct H; auto. Qed.
Lemma hist_mono C C' ok ok' x y : incl C C' -> (forall n, ok n = true -> ok' n = true) ->
  hist C ok x y -> hist C' ok' x y.
Proof. intros HI Ho H. induction H; [constructor|]. eapply h_step; eauto. Qed.
Lemma hist_first C ok x y : hist C ok x y ->
  x = y \/ exists z, In z C /\ In (nm z) (names x) /\ ok (nm z) = true /\ hist C ok z y.
Proof.
  induction 1 as [|y z H IH I N O]; auto. right. destruct IH as [->|(w & ? & ? & ? & ?)].
  - exists z. repeat split; auto. constructor.
  - exists w. repeat split; auto. eapply h_step; eauto.
Qed.
Lemma above_true lo n : above lo n = true <-> lo < snd n.
Proof. apply Nat.ltb_lt. Qed.
Definition all_valid (C : list Vtx) : Prop := forall x, In x C -> vvalid x = true.
Definition uniq (C : list Vtx) : Prop := forall x y, In x C -> In y C -> nm x = nm y -> x = y.

Lemma hist_down C ok x y : all_valid C -> In x C -> hist C ok x y -> vr y <= vr x.
Proof.
  intros HV I H. induction H as [|y z H IH Iz N O]; auto.
  pose proof (valid_down y _ (HV y (hist_in _ _ _ _ H I)) N). simpl in *. lia.
Qed.
(* a path to y uses nothing below y *)
Lemma hist_sharp C ok x y : all_valid C -> In x C -> hist C ok x y -> forall lo, lo < vr y -> hist C (above lo) x y.
Proof.
  intros HV I H. induction H as [|y z H IH Iz N O]; intros lo Hl; [constructor|].
  pose proof (valid_down y _ (HV y (hist_in _ _ _ _ H I)) N). simpl in *.
  eapply h_step; [apply IH; lia| | |]; eauto. now apply above_true.
Qed.
Lemma histl_sound D ok k : forall x y, In y (histl D ok k x) -> hist D ok x y.
Proof.
  induction k as [|k IH]; simpl; [tauto|]. intros x y [<-|H]; [constructor|].
  apply in_flat_map in H. destruct H as (z & H1 & H2). apply filter_In in H1.
  rewrite andb_true_iff, memn_true in H1. eapply hist_trans; [|apply IH; exact H2].
  eapply h_step; [constructor|tauto..].
Qed.
Lemma histl_complete D ok : all_valid D -> forall k x y, In x D -> vr x < k -> hist D ok x y -> In y (histl D ok k x).
Proof.
  intros HV. induction k as [|k IH]; intros x y I Hk H; [lia|]. simpl.
  destruct (hist_first _ _ _ _ H) as [->|(z & Iz & N & O & Hz)]; auto. right. apply in_flat_map. exists z. split.
  - apply filter_In. rewrite andb_true_iff, memn_true. auto.
  - apply IH; auto. pose proof (valid_down x _ (HV x I) N). simpl in *. lia.
Qed.
Lemma histl_iff D ok x y : all_valid D -> In x D -> (In y (histl D ok (S (vr x)) x) <-> hist D ok x y).
Proof. intros HV I. split; [apply histl_sound|]. intros. apply histl_complete; auto. Qed.
Lemma reaches_true D lo x y : all_valid D -> In x D -> (reaches D lo x y = true <-> hist D (above lo) x y).
Proof. intros HV I. unfold reaches. rewrite memv_true. apply histl_iff; auto. Qed.

(* What a node sees of a history, it sees as everybody does: D is its part of the certified vertices C. *)
Definition closed (C D : list Vtx) (ok : name -> bool) (x : Vtx) : Prop :=
  forall y z, In y D -> y = x \/ ok (nm y) = true -> In z C -> In (nm z) (names y) -> ok (nm z) = true ->
  here D (nm z) = true.
Lemma hist_same C D ok x y : uniq C -> incl D C -> In x D -> closed C D ok x ->
  (hist C ok x y <-> hist D ok x y).
Proof.
  intros HU HI I HC. split; [|apply hist_mono; auto]. intros H.
  assert (HD : hist D ok x y /\ In y D); [|tauto].
  induction H as [|y z H [IH IHin] Iz N O]; [split; [constructor|auto]|].
  pose proof (HC y z IHin (hist_ok _ _ _ _ H) Iz N O) as Z. apply here_true in Z. destruct Z as (z' & I' & E').
  assert (z' = z) by (apply HU; auto). subst z'. split; auto. eapply h_step; eauto.
Qed.

(* ---------- votes and certificates ---------- *)
Record cinv (s : state) : Prop := {
  ci_once : forall p x y, In (p, x) (votes s) -> In (p, y) (votes s) -> byz p = false ->
      va x = va y -> vr x = vr y -> x = y;
  ci_cert : forall x, In x (cert s) -> certify <= wsum stake (voted s x) members;
  ci_signed : forall x, In x (cert s) -> byz (va x) = false -> In (va x, x) (votes s);
  ci_valid : forall p x, In (p, x) (votes s) -> byz p = false -> vvalid x = true;
  ci_own : forall p x y, In (p, x) (votes s) -> In (p, y) (votes s) -> byz p = false ->
      va x = p -> va y = p -> vr y < vr x -> hist (cert s) (above (vr y - 1)) x y;
  ci_acc : forall p, incl (acc s p) (cert s);
  ci_log : forall p, incl (anchors (log s p)) (cert s)
}.
Context {LG : CLegal P}.

Lemma certify_correct : forall s x, certify <= wsum stake (voted s x) members -> faults + 1 <= certify.
Proof.
  intros s x H. pose proof C1. assert (wsum stake (voted s x) members <= total) by (apply wsum_mono; auto). lia.
Qed.
(* a certificate holds the vote of a correct node *)
Lemma correct_voter s x : cinv s -> In x (cert s) -> exists p, In (p, x) (votes s) /\ byz p = false.
Proof.
  intros I Hx. pose proof (ci_cert s I x Hx) as H. pose proof (certify_correct _ _ H). pose proof byz_le.
  destruct (wsum_pick stake byz (voted s x) members) as (p & _ & V & Z); [lia|].
  apply voted_true in V. eauto.
Qed.
(* (R3) at most one certified vertex of an author and a round *)
Theorem R3_unique s x y : cinv s -> In x (cert s) -> In y (cert s) -> nm x = nm y -> x = y.
Proof.
  intros I Hx Hy E. pose proof (ci_cert s I x Hx). pose proof (ci_cert s I y Hy). pose proof C1.
  destruct (wsum_quorum stake byz (voted s x) (voted s y) members faults byz_le) as (p & _ & V1 & V2 & Z).
  { unfold total in *. lia. }
  apply voted_true in V1. apply voted_true in V2. inversion E. eapply (ci_once s I); eauto.
Qed.
Lemma cert_valid s : cinv s -> all_valid (cert s).
Proof. intros I x Hx. destruct (correct_voter s x I Hx) as (p & V & Z). eapply (ci_valid s I); eauto. Qed.

Lemma walk_incl D lo r : forall x, incl (walk D lo r x) D.
Proof.
  induction r as [|r IH]; intros x; cbn -[Nat.leb]; [intros y []|].
  destruct (S r <=? lo); [intros y []|].
  destruct (find _ D) as [y|] eqn:E; auto. destruct (reaches D lo x y); auto.
  apply find_some in E. intros z Hz. apply in_app_iff in Hz. destruct Hz as [Hz|[<-|[]]]; [eapply IH; eauto|tauto].
Qed.
Lemma deliver_anchors D : forall l done, anchors (deliver D done l) = l.
Proof. induction l as [|x t IH]; simpl; intros; auto. now rewrite IH. Qed.
Lemma anchors_app l l' : anchors (l ++ l') = anchors l ++ anchors l'.
Proof. apply map_app. Qed.

Lemma cinv_vote s p x : cinv s -> byz p || may_vote s p x = true ->
  cinv (mkst ((p, x) :: votes s) (cert s) (acc s) (log s) (flr s)).
Proof.
  intros I H.
  assert (K : byz p = false -> vvalid x = true /\ rising s p x = true /\
    (va x = p -> forallb (fun y => memv y (cert s)) (headers s p) = true /\ names_latest s p x = true)).
  { intros Z. rewrite Z in H. simpl in H. unfold may_vote in H. rewrite Hrising, Hchain, Hself in H.
    simpl in H. rewrite !andb_true_iff in H. destruct H as [[[[H1 H2] _] _] H3].
    split; [auto|split; [auto|intros E]]. subst p. rewrite Nat.eqb_refl in H3. simpl in H3.
    now apply andb_true_iff in H3. }
  assert (NEW : byz p = false -> forall y, In (p, y) (votes s) -> va x = va y -> vr y < vr x).
  { intros Z y Hy E. destruct (K Z) as (_ & R & _). unfold rising in R. rewrite forallb_forall in R.
    specialize (R _ Hy). simpl in R. rewrite E, !Nat.eqb_refl in R. simpl in R. now apply Nat.ltb_lt. }
  constructor; simpl; try apply I.
  - intros q y z [Ey|Hy] [Ez|Hz] Z E1 E2; try congruence.
    + inversion Ey; subst. pose proof (NEW Z z Hz E1). lia.
    + inversion Ez; subst. pose proof (NEW Z y Hy ltac:(congruence)). lia.
    + eapply (ci_once s I); eauto.
  - intros y Hy. apply Nat.le_trans with (wsum stake (voted s y) members); [apply (ci_cert s I); auto|].
    apply wsum_mono. intros z _ Hz.
    apply voted_true. apply voted_true in Hz. simpl. auto.
  - intros y Hy Z. right. apply (ci_signed s I); auto.
  - intros q y [E|Hy] Z; [inversion E; subst; apply K; auto|]. eapply (ci_valid s I); eauto.
  - intros q y z [Ey|Hy] [Ez|Hz] Z E1 E2 HR; try (eapply (ci_own s I); eauto; fail).
    + inversion Ey; inversion Ez; subst. lia.
    + inversion Ey; subst. destruct (K Z) as (_ & _ & K3). destruct (K3 eq_refl) as [Kc Ks].
      rewrite forallb_forall in Kc.
      assert (Cz : In z (cert s)) by (apply memv_true, Kc, headers_in; auto).
      assert (Vz : 1 <= vr z) by (apply valid_round; eapply (ci_valid s I); eauto).
      unfold names_latest in Ks. destruct (vself y) as [r|] eqn:ES.
      * apply andb_true_iff in Ks. destruct Ks as [Ko Kl]. apply here_true in Ko. destruct Ko as (o & Io & Eo).
        apply own_in in Io. destruct Io as [Co Ao]. rewrite forallb_forall in Kl.
        assert (vr z <= r) by (apply Nat.leb_le, Kl, own_in; auto).
        assert (Ro : vr o = r) by (unfold nm in Eo; congruence).
        assert (PO : hist (cert s) (above (vr z - 1)) y o).
        { eapply h_step; [constructor|exact Co| |apply above_true; simpl; lia].
          rewrite Eo. unfold names. rewrite ES. simpl. auto. }
        destruct (Nat.eq_dec (vr z) (vr o)) as [Q|Q].
        -- assert (z = o) by (apply (R3_unique s); auto; unfold nm; congruence). subst. auto.
        -- eapply hist_trans; [exact PO|]. apply (ci_own s I (va y)); auto; try lia.
           rewrite <- Ao. apply (ci_signed s I); auto. congruence.
      * assert (Oz : In z (own s (va y))) by (apply own_in; auto).
        destruct (own s (va y)) eqn:EO; [destruct Oz|discriminate].
    + inversion Ez; subst. pose proof (NEW Z y Hy ltac:(congruence)). lia.
Qed.
Lemma cinv_exec s e s' : cinv s -> exec s e = Some s' -> cinv s'.
Proof.
  intros I H. destruct e as [p x|x|p x|p x|p k|p q k]; simpl in H.
  - destruct (byz p || may_vote s p x) eqn:E; [|discriminate]. injection H as <-. apply cinv_vote; auto.
  - destruct (may_certify s x) eqn:E; [|discriminate]. injection H as <-. unfold may_certify in E.
    apply andb_true_iff in E. destruct E as [E1 E2]. apply Nat.leb_le in E1.
    assert (HI : incl (cert s) (x :: cert s)) by apply incl_tl, incl_refl.
    constructor; simpl; try apply I.
    + intros y [<-|Hy]; auto. apply (ci_cert s I); auto.
    + intros y [<-|Hy] Z; [|apply (ci_signed s I); auto]. rewrite Z in E2. now apply voted_true.
    + intros p y z H1 H2 Z E3 E4 HR. eapply hist_mono; [exact HI| |eapply (ci_own s I); eauto]. auto.
    + intros p. eapply incl_tran; [apply (ci_acc s I)|auto].
    + intros p. eapply incl_tran; [apply (ci_log s I)|auto].
  - destruct (acceptable s p x) eqn:E; [|discriminate]. injection H as <-. unfold acceptable in E.
    apply andb_true_iff in E. destruct E as [E _]. apply memv_true in E. constructor; simpl; try apply I.
    intros q. unfold upd. destruct (q =? p); [|apply I]. intros y [<-|Hy]; auto. eapply (ci_acc s I); eauto.
  - destruct (may_order s p x) eqn:E; [|discriminate]. injection H as <-. unfold may_order in E.
    rewrite !andb_true_iff, memv_true in E. destruct E as [[[E _] _] _]. constructor; simpl; try apply I.
    intros q. unfold upd. destruct (q =? p); [|apply I]. rewrite anchors_app, deliver_anchors.
    apply incl_app; [apply I|]. unfold chain.
    apply incl_app; [eapply incl_tran; [apply walk_incl|apply I]|]. intros y [<-|[]]. eapply (ci_acc s I); eauto.
  - destruct (negb rule_floor || _); [|discriminate]. injection H as <-. constructor; simpl; apply I.
  - destruct (length _ <=? _); [|discriminate]. injection H as <-. constructor; simpl; try apply I.
    intros r. unfold upd. destruct (r =? p); [|apply I]. unfold anchors. rewrite <- firstn_map.
    intros y Hy. apply (ci_log s I q). unfold anchors.
    rewrite <- (firstn_skipn k (map fst (log s q))). apply in_app_iff. auto.
Qed.
Lemma cinv_run es : forall s s', cinv s -> run s es = Some s' -> cinv s'.
Proof.
  induction es as [|e t IH]; simpl; intros s s' I H; [inversion H; subst; auto|].
  destruct (exec s e) eqn:E; [|discriminate]. eapply IH; [|exact H]. eapply cinv_exec; eauto.
Qed.
Lemma cinv_init : cinv init.
Proof. constructor; simpl; try tauto; intros p x []. Qed.
Lemma reach_cinv s : reach s -> cinv s.
Proof. intros [es H]. eapply cinv_run; [apply cinv_init|exact H]. Qed.
Lemma exec_cert s e s' : exec s e = Some s' -> incl (cert s) (cert s').
Proof.
  destruct e; simpl; repeat (match goal with |- context [if ?c then _ else _] => destruct c end);
    intros H; inversion H; simpl; try apply incl_refl. apply incl_tl, incl_refl.
Qed.
Lemma run_cert es : forall s s', run s es = Some s' -> incl (cert s) (cert s').
Proof.
  induction es as [|e t IH]; simpl; intros s s' H; [inversion H; apply incl_refl|].
  destruct (exec s e) eqn:E; [|discriminate]. eapply incl_tran; [eapply exec_cert; eauto|eauto].
Qed.
End Proofs.
