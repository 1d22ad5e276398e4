(* What a certificate proves (R2 and R3 of docs/protocols/anchored.md): f+1 correct nodes hold what the vertex names and
   had a complete round before it, so nobody runs ahead alone. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Certified CertifiedProof.

Section Gate.
Context {P : CParams} {VT : Vertices} {LG : CLegal P}.
Hypothesis Hgate : rule_gate = true.
Hypothesis Hrefs : rule_refs = true.

Definition full (C : list Vtx) (r : nat) : Prop := forall k, 1 <= k <= r -> complete <= of_round C k.
Record ginv (s : state) : Prop := {
  gi_refs : forall p x, In (p, x) (votes s) -> byz p = false ->
      forall n, In n (names x) -> settled (flr s p) (acc s p) n = true;
  gi_gate : forall p x, In (p, x) (votes s) -> byz p = false ->
      vr x <= 1 \/ vr x - 1 <= flr s p \/ complete <= of_round (acc s p) (vr x - 1);
  gi_cert : forall x, In x (cert s) -> full (cert s) (vr x - 1);
  gi_log : forall p x, In x (anchors (log s p)) -> full (cert s) (vr x);
  gi_flr : forall p, full (cert s) (flr s p)
}.

Lemma of_round_mono C C' r : incl C C' -> of_round C r <= of_round C' r.
Proof. intros HI. apply wsum_mono. intros a _. apply here_mono. auto. Qed.
Lemma full_mono C C' r : incl C C' -> full C r -> full C' r.
Proof. intros HI H k Hk. specialize (H k Hk). pose proof (of_round_mono C C' k HI). lia. Qed.
Lemma full_below C r r' : r' <= r -> full C r -> full C r'.
Proof. intros HL H k Hk. apply H. lia. Qed.
Lemma of_round_some C r : 1 <= of_round C r -> exists x, In x C /\ vr x = r.
Proof.
  intros H. assert (ZW : wsum stake (fun _ => false) members <= 0) by (clear; induction members; simpl; lia).
  destruct (wsum_pick stake (fun _ => false) (fun a => here C (a, r)) members) as (a & _ & V & _).
  { unfold of_round in H. lia. }
  apply here_true in V. destruct V as (x & Hx & E). exists x. unfold nm in E. split; auto. congruence.
Qed.
Lemma endof_in l : forall a, endof a l = a \/ exists x, In x l /\ endof a l = Some x.
Proof.
  induction l as [|b t IH]; simpl; intros a; auto. right. destruct (IH (Some b)) as [E|(x & Hx & E)]; eauto.
Qed.

Lemma ginv_vote s p x : cinv s -> ginv s -> byz p || may_vote s p x = true ->
  ginv (mkst ((p, x) :: votes s) (cert s) (acc s) (log s) (flr s)).
Proof.
  intros I G H. assert (K : byz p = false -> gate_open s p x = true /\ refs_here s p x = true).
  { intros Z. rewrite Z in H. simpl in H. unfold may_vote in H. rewrite Hgate, Hrefs in H. simpl in H.
    rewrite !andb_true_iff in H. tauto. }
  constructor; simpl; try apply G.
  - intros q y [E|Hy] Z n Hn; [|eapply (gi_refs s G); eauto]. inversion E; subst.
    destruct (K Z) as [_ K2]. unfold refs_here in K2. rewrite forallb_forall in K2. auto.
  - intros q y [E|Hy] Z; [|eapply (gi_gate s G); eauto]. inversion E; subst.
    destruct (K Z) as [K1 _]. unfold gate_open in K1. rewrite !orb_true_iff, !Nat.leb_le in K1. tauto.
Qed.
(* a certified vertex: the rounds below it are complete, for one of its voters is correct *)
Lemma full_cert s x p : cinv s -> ginv s -> In (p, x) (votes s) -> byz p = false -> full (cert s) (vr x - 1).
Proof.
  intros I G V Z k Hk. destruct (gi_gate s G p x V Z) as [H|[H|H]]; [lia| |].
  - apply (gi_flr s G p). lia.
  - destruct (Nat.eq_dec k (vr x - 1)) as [->|NE].
    + eapply Nat.le_trans; [exact H|]. apply of_round_mono. apply (ci_acc s I).
    + destruct (Nat.eq_dec complete 0) as [Q|Q]; [rewrite Q; lia|].
      destruct (of_round_some (acc s p) (vr x - 1)) as (y & Hy & Ey); [lia|].
      apply (gi_cert s G y); [apply (ci_acc s I p); auto|lia].
Qed.
Lemma full_ordered s p x : cinv s -> ginv s -> may_order s p x = true -> full (cert s) (vr x).
Proof.
  intros I G H. unfold may_order in H. rewrite !andb_true_iff, memv_true in H. destruct H as [[[Hx Ax] _] Qx].
  apply Nat.leb_le in Qx. apply (ci_acc s I) in Hx.
  assert (1 <= commit).
  { pose proof (cert_valid s I x Hx) as V. unfold vvalid, must_be_dense in V. rewrite Ax, orb_true_r, andb_true_r in V.
    pose proof (is_anchor_spec x Ax) as (_ & _ & R). rewrite (proj2 (Nat.leb_le 2 (vr x)) R) in V. simpl in V.
    rewrite !andb_true_iff in V. destruct V as [_ V]. apply Nat.leb_le in V. pose proof C2.
    assert (wsum stake (fun a => memn (a, vr x - 1) (vrefs x)) members <= total) by (apply wsum_mono; auto). lia. }
  assert (ZW : wsum stake (fun _ => false) members <= 0) by (clear; induction members; simpl; lia).
  unfold avotes in Qx.
  destruct (wsum_pick stake (fun _ => false) (fun a => existsb (fun y => (va y =? a) && (vr y =? vr x + 1)
    && memn (nm x) (names y)) (acc s p)) members) as (a & _ & V & _); [lia|].
  apply existsb_exists in V. destruct V as (y & Hy & Q). rewrite !andb_true_iff, !Nat.eqb_eq in Q.
  destruct Q as [[_ Q] _]. apply (ci_acc s I) in Hy.
  eapply full_below; [|apply (gi_cert s G y Hy)]. lia.
Qed.
Lemma walk_round D lo r : forall x y, In y (walk D lo r x) -> vr y <= r.
Proof.
  induction r as [|r IH]; intros x y; cbn -[Nat.leb]; [intros []|].
  destruct (S r <=? lo); [intros []|].
  destruct (find _ D) as [z|] eqn:E; [|intros H; apply IH in H; lia].
  destruct (reaches D lo x z); [|intros H; apply IH in H; lia].
  apply find_some in E. rewrite andb_true_iff, Nat.eqb_eq in E. rewrite in_app_iff.
  intros [H|[<-|[]]]; [apply IH in H|]; lia.
Qed.

Lemma ginv_exec s e s' : cinv s -> ginv s -> exec s e = Some s' -> ginv s'.
Proof.
  intros I G H. destruct e as [p x|x|p x|p x|p k|p q k]; simpl in H.
  - destruct (byz p || may_vote s p x) eqn:E; [|discriminate]. injection H as <-. apply ginv_vote; auto.
  - destruct (may_certify s x) eqn:E; [|discriminate]. injection H as <-. unfold may_certify in E.
    apply andb_true_iff in E. destruct E as [E1 _]. apply Nat.leb_le in E1.
    assert (HI : incl (cert s) (x :: cert s)) by apply incl_tl, incl_refl.
    pose proof (certify_correct s x E1). pose proof byz_le.
    destruct (wsum_pick stake byz (voted s x) members) as (p & _ & V & Z); [lia|]. apply voted_true in V.
    constructor; simpl; try apply G.
    + intros y [<-|Hy]; eapply full_mono; eauto; [eapply full_cert; eauto|apply (gi_cert s G); auto].
    + intros q y Hy. eapply full_mono; [exact HI|apply (gi_log s G q); auto].
    + intros q. eapply full_mono; [exact HI|apply (gi_flr s G)].
  - destruct (acceptable s p x) eqn:E; [|discriminate]. injection H as <-.
    assert (HI : forall q, incl (acc s q) (upd (acc s) p (x :: acc s p) q)).
    { intros q. unfold upd. destruct (q =? p) eqn:Q; [apply Nat.eqb_eq in Q; subst; apply incl_tl|]; apply incl_refl. }
    constructor; simpl; try apply G.
    + intros q y Hy Z n Hn. eapply settled_mono; [apply le_n|apply HI|eapply (gi_refs s G); eauto].
    + intros q y Hy Z. destruct (gi_gate s G q y Hy Z) as [K|[K|K]]; auto. right. right.
      eapply Nat.le_trans; [exact K|apply of_round_mono; auto].
  - destruct (may_order s p x) eqn:E; [|discriminate]. injection H as <-. constructor; simpl; try apply G.
    intros q y. unfold upd. destruct (q =? p); [|apply (gi_log s G)]. rewrite anchors_app, deliver_anchors, in_app_iff.
    intros [Hy|Hy]; [eapply (gi_log s G); eauto|]. pose proof (full_ordered s p x I G E).
    unfold chain in Hy. apply in_app_iff in Hy. destruct Hy as [Hy|[<-|[]]]; auto.
    apply walk_round in Hy. eapply full_below; [|eauto]. lia.
  - destruct (negb rule_floor || _) eqn:E; [|discriminate]. injection H as <-. rewrite Hfloor in E. simpl in E.
    apply Nat.leb_le in E.
    assert (HF : forall q, flr s q <= upd (flr s) p (Nat.max k (flr s p)) q).
    { intros q. unfold upd. destruct (q =? p) eqn:Q; auto. apply Nat.eqb_eq in Q. subst. lia. }
    constructor; simpl; try apply G.
    + intros q y Hy Z n Hn. eapply settled_mono; [apply HF|apply incl_refl|eapply (gi_refs s G); eauto].
    + intros q y Hy Z. specialize (HF q). destruct (gi_gate s G q y Hy Z) as [K|[K|K]]; auto. right. left. lia.
    + intros q. unfold upd. destruct (q =? p); [|apply (gi_flr s G)].
      destruct (le_ge_dec k (flr s p)) as [Q|Q]; [eapply full_below; [|apply (gi_flr s G p)]; lia|].
      unfold last_round in E. destruct (endof_in (anchors (log s p)) None) as [En|(y & Hy & En)]; rewrite En in E; simpl in E;
        [intros j Hj; lia|]. eapply full_below; [|apply (gi_log s G p y Hy)]. lia.
  - destruct (length _ <=? _); [|discriminate]. injection H as <-. constructor; simpl; try apply G.
    intros r y. unfold upd. destruct (r =? p); [|apply (gi_log s G)]. unfold anchors. rewrite <- firstn_map. intros Hy.
    apply (gi_log s G q). unfold anchors. rewrite <- (firstn_skipn k (map fst (log s q))). apply in_app_iff. auto.
Qed.
Lemma reach_ginv s : reach s -> cinv s /\ ginv s.
Proof.
  intros [es H]. assert (G0 : ginv init) by (constructor; simpl; try tauto; intros p k Hk; simpl in Hk; lia).
  pose proof cinv_init as I0. revert H G0 I0. generalize init. induction es as [|e t IH]; simpl; intros s0 H G I;
    [inversion H; subst; auto|].
  destruct (exec s0 e) eqn:E; [|discriminate]. eapply IH; [exact H| |]; [eapply ginv_exec; eauto|eapply cinv_exec; eauto].
Qed.

Lemma wsum_split (w : nat -> nat) Z V k : wsum w V k <= wsum w Z k + wsum w (fun x => negb (Z x) && V x) k.
Proof. induction k as [|k IH]; simpl; [lia|]. destruct (V k), (Z k); simpl; lia. Qed.

(* Correct nodes of weight certify - f, so f+1 at least, accepted all that the vertex names above their floors, and keep it
   (the attic): whoever needs it can ask them. *)
Theorem R3_holders s x : reach s -> In x (cert s) ->
  certify <= faults + wsum stake (fun p => negb (byz p) && voted s x p) members /\
  forall p, byz p = false -> voted s x p = true -> forall n, In n (names x) ->
    snd n <= flr s p \/ exists y, In y (acc s p) /\ nm y = n.
Proof.
  intros R Hx. destruct (reach_ginv s R) as [I G]. split.
  - pose proof (ci_cert s I x Hx). pose proof (wsum_split stake byz (voted s x) members). pose proof byz_le. lia.
  - intros p Z V n Hn. apply voted_true in V. pose proof (gi_refs s G p x V Z n Hn) as K.
    unfold settled in K. apply orb_true_iff in K. rewrite Nat.leb_le, here_true in K. auto.
Qed.
(* Nobody runs ahead: below a certified vertex every round has its vertices, and a complete round of them. *)
Theorem R3_no_gap s x k : reach s -> In x (cert s) -> 1 <= k < vr x -> complete <= of_round (cert s) k.
Proof. intros R Hx Hk. destruct (reach_ginv s R) as [_ G]. apply (gi_cert s G x Hx). lia. Qed.
End Gate.
Print Assumptions R3_holders.
Print Assumptions R3_no_gap.
