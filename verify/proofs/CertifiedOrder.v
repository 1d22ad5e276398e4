(* The certified family orders one sequence: model in Certified.v, names and certificates in CertifiedProof.v. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Certified CertifiedProof.

Definition prefix {X} (l l' : list X) : Prop := exists t, l' = l ++ t.

Section Order.
Context {P : CParams} {VT : Vertices} {LG : CLegal P}.
(* The run as far as it went: what is said of earlier moments is said within its certified vertices C. *)
Variable e : state.
Hypothesis I : cinv e.
Let C := cert e.
Let HU : uniq C := fun x y Hx Hy E => R3_unique e x y I Hx Hy E.
Let HV : all_valid C := cert_valid e I.

Lemma own_chain x y : In x C -> In y C -> byz (va x) = false -> va x = va y -> vr y < vr x ->
  hist C (above (vr y - 1)) x y.
Proof.
  intros Hx Hy Z E R. apply (ci_own e I (va x)); auto; [apply (ci_signed e I)| ]; auto.
  rewrite E. apply (ci_signed e I); auto. congruence.
Qed.

Definition direct (x : Vtx) : Prop := In x C /\ is_anchor x = true /\ commit <= avotes C x.
(* everything that b's history names above round lo is certified; so it is at a node that accepted b *)
Definition whole (lo : nat) (b : Vtx) : Prop :=
  forall y, hist C (above lo) b y -> forall n, In n (names y) -> lo < snd n -> here C n = true.

Lemma whole_part lo b y : whole lo b -> hist C (above lo) b y -> whole lo y.
Proof. intros W H z Hz. apply W. eapply hist_trans; eauto. Qed.
Lemma whole_up lo lo' b : lo <= lo' -> whole lo b -> whole lo' b.
Proof.
  intros HL W y H n N R. apply (W y); auto; [|lia]. eapply hist_mono; [apply incl_refl| |exact H].
  intros m. rewrite !above_true. lia.
Qed.
Lemma above_up lo lo' x y : lo <= lo' -> hist C (above lo') x y -> hist C (above lo) x y.
Proof. intros HL. apply hist_mono; [apply incl_refl|]. intros m. rewrite !above_true. lia. Qed.

Lemma dense_parents b : In b C -> must_be_dense b = true ->
  dense <= wsum stake (fun a => memn (a, vr b - 1) (vrefs b)) members.
Proof.
  intros Hb Hm. pose proof (HV b Hb) as V. unfold vvalid in V. rewrite !andb_true_iff, Hm in V.
  destruct V as [_ V]. now apply Nat.leb_le in V.
Qed.
Lemma parent b p lo : whole lo b -> memn (p, vr b - 1) (vrefs b) = true -> lo < vr b - 1 ->
  exists w, In w C /\ nm w = (p, vr b - 1) /\ In (nm w) (names b).
Proof.
  intros W H Hl. apply memn_true in H.
  assert (N : In (p, vr b - 1) (names b)) by (unfold names; apply in_app_iff; auto).
  pose proof (W b (h_refl _ _ _) _ N Hl) as Z. apply here_true in Z. destruct Z as (w & ? & E).
  exists w. rewrite E. auto.
Qed.
Lemma voter x p : existsb (fun y => (va y =? p) && (vr y =? vr x + 1) && memn (nm x) (names y)) C = true ->
  exists u, In u C /\ nm u = (p, vr x + 1) /\ In (nm x) (names u).
Proof.
  rewrite existsb_exists. intros (u & Iu & Q). rewrite !andb_true_iff, !Nat.eqb_eq, memn_true in Q.
  exists u. unfold nm at 1. destruct Q as [[-> ->] ?]. auto.
Qed.
Lemma to_anchor x u : In x C -> In (nm x) (names u) ->
  hist C (above (vr x - 1)) u x.
Proof.
  intros Hx N. pose proof (valid_round x (HV x Hx)).
  eapply h_step; [constructor| | |apply above_true; simpl; lia]; auto.
Qed.

(* every vertex dense: whatever stands two rounds above a committed anchor reaches it *)
Lemma dense_reached x : all_dense = true -> direct x -> forall k b, vr b <= k -> In b C -> vr x + 2 <= vr b ->
  whole (vr x) b -> hist C (above (vr x - 1)) b x.
Proof.
  intros AD (Hx & Ax & Qx). pose proof C2 as HC. rewrite AD in HC.
  apply is_anchor_spec in Ax. destruct Ax as (_ & _ & Ax).
  assert (QT : avotes C x <= total) by (apply wsum_mono; auto).
  assert (ZW : wsum stake (fun _ => false) members <= 0) by (clear; induction members; simpl; lia).
  induction k as [|k IH]; intros b Hk Hb Hr W; [lia|].
  assert (DM : must_be_dense b = true).
  { unfold must_be_dense. rewrite AD, orb_true_l, andb_true_r. apply Nat.leb_le. lia. }
  pose proof (dense_parents b Hb DM) as HD.
  destruct (Nat.eq_dec (vr b) (vr x + 2)) as [Q|Q].
  - unfold avotes in Qx.
    destruct (wsum_quorum stake (fun _ => false) _ _ members 0 ZW
      ltac:(unfold total in *; eapply Nat.le_trans; [|apply Nat.add_le_mono; [exact Qx|exact HD]]; lia)) as (p & _ & V1 & V2 & _).
    apply voter in V1. destruct V1 as (u & Iu & Eu & Nu).
    destruct (parent b p (vr x) W V2 ltac:(lia)) as (w & Iw & Ew & Nw).
    assert (u = w) by (apply HU; auto; rewrite Eu, Ew; f_equal; lia). subst w.
    apply hist_trans with u; [|apply to_anchor; auto].
    eapply h_step; [constructor|exact Iu|exact Nw|]. rewrite Ew. apply above_true. simpl. lia.
  - destruct (wsum_pick stake (fun _ => false) (fun a => memn (a, vr b - 1) (vrefs b)) members) as (p & _ & V & _); [lia|].
    destruct (parent b p (vr x) W V ltac:(lia)) as (w & Iw & Ew & Nw).
    assert (Rw : vr w = vr b - 1) by (unfold nm in Ew; congruence).
    assert (S1 : hist C (above (vr x)) b w).
    { eapply h_step; [constructor|exact Iw|exact Nw|]. rewrite Ew. apply above_true. simpl. lia. }
    apply hist_trans with w; [eapply above_up; [|exact S1]; lia|]. apply IH; auto; try lia.
    eapply whole_part; eauto.
Qed.

(* The theorem of anchored.md: from two rounds above it on, every anchor reaches a committed one. *)
Theorem anchor_reached x b : direct x -> In b C -> is_anchor b = true -> vr x + 2 <= vr b -> whole (vr x) b ->
  hist C (above (vr x - 1)) b x.
Proof.
  intros HX Hb Ab Hr W. destruct all_dense eqn:AD; [eapply dense_reached; eauto|].
  destruct HX as (Hx & Ax & Qx). pose proof C2 as HC. rewrite AD in HC.
  apply is_anchor_spec in Ax. destruct Ax as (_ & _ & Ax).
  assert (DM : must_be_dense b = true).
  { unfold must_be_dense. rewrite Ab, orb_true_r, andb_true_r. apply Nat.leb_le. lia. }
  pose proof (dense_parents b Hb DM) as HD. unfold avotes in Qx.
  destruct (wsum_quorum stake byz _ _ members faults byz_le
    ltac:(unfold total in *; eapply Nat.le_trans; [|apply Nat.add_le_mono; [exact Qx|exact HD]]; lia)) as (p & _ & V1 & V2 & Z).
  apply voter in V1. destruct V1 as (u & Iu & Eu & Nu).
  destruct (parent b p (vr x) W V2 ltac:(lia)) as (w & Iw & Ew & Nw).
  assert (Au : va u = p /\ vr u = vr x + 1) by (unfold nm in Eu; inversion Eu; auto).
  assert (Aw : va w = p /\ vr w = vr b - 1) by (unfold nm in Ew; inversion Ew; auto).
  apply hist_trans with w.
  { eapply h_step; [constructor|exact Iw|exact Nw|]. rewrite Ew. apply above_true. simpl. lia. }
  apply hist_trans with u; [|apply to_anchor; auto].
  destruct (Nat.eq_dec (vr u) (vr w)) as [Q|Q].
  - assert (u = w) by (apply HU; auto; unfold nm; f_equal; destruct Au, Aw; congruence). subst. constructor.
  - eapply above_up; [|apply own_chain; auto]; destruct Au, Aw; try lia; congruence.
Qed.

(* ---------- chains of anchors ---------- *)
(* a: what was ordered last, if anything. b comes next: nothing between them is in b's history. *)
Definition next (a : option Vtx) (b : Vtx) : Prop :=
  In b C /\ is_anchor b = true /\ lowof a < vr b /\ whole (lowof a) b /\
  forall z, In z C -> is_anchor z = true -> lowof a < vr z < vr b -> ~ hist C (above (lowof a)) b z.
(* the first of the list, if any, reaches a *)
Definition joined (a : option Vtx) (l : list Vtx) : Prop :=
  match a, l with Some x, b :: _ => hist C (above (vr x - 1)) b x | _, _ => True end.
Fixpoint linked (a : option Vtx) (l : list Vtx) : Prop :=
  match l with [] => True | b :: t => next a b /\ joined (Some b) t /\ linked (Some b) t end.
Definition good (l : list Vtx) : Prop := l = [] \/ exists u x, l = u ++ [x] /\ direct x.

Lemma endof_app u : forall a v, endof a (u ++ v) = endof (endof a u) v.
Proof. induction u; simpl; auto. Qed.
Lemma linked_app u : forall a v, linked a u -> linked (endof a u) v -> joined (endof a u) v -> linked a (u ++ v).
Proof.
  induction u as [|b t IH]; simpl; intros a v H1 H2 H3; auto. destruct H1 as (N & J & L).
  split; [auto|split; [|apply IH; auto]]. destruct t; simpl in *; auto.
Qed.
Lemma linked_left u : forall a v, linked a (u ++ v) -> linked a u.
Proof.
  induction u as [|b t IH]; simpl; intros a v H; auto. destruct H as (N & J & L).
  split; [auto|split; [|eapply IH; eauto]]. destruct t; simpl in *; auto.
Qed.
Lemma linked_right u : forall a v, linked a (u ++ v) -> linked (endof a u) v.
Proof. induction u as [|b t IH]; simpl; intros a v H; auto. apply IH. tauto. Qed.
Lemma linked_joined u : forall a v, linked a (u ++ v) -> u <> [] -> joined (endof a u) v.
Proof.
  induction u as [|b t IH]; intros a v H NE; [congruence|]. simpl in *. destruct H as (N & J & L).
  destruct t as [|c t]; [exact J|]. apply IH; auto. discriminate.
Qed.
Lemma linked_in a l b : linked a l -> In b l -> In b C /\ is_anchor b = true /\ lowof a < vr b.
Proof.
  revert a. induction l as [|c t IH]; simpl; intros a H Hb; [tauto|]. destruct H as ((H1 & H2 & H3 & _) & _ & L).
  destruct Hb as [<-|Hb]; auto. destruct (IH _ L Hb) as (? & ? & ?). simpl in *. repeat split; auto. lia.
Qed.
Lemma anchor_gap x y : is_anchor x = true -> is_anchor y = true -> vr x < vr y -> vr x + 2 <= vr y.
Proof. intros H1 H2. apply is_anchor_spec in H1, H2. destruct H1 as (_ & [i ?] & _), H2 as (_ & [j ?] & _). lia. Qed.
Lemma anchor_same x y : In x C -> In y C -> is_anchor x = true -> is_anchor y = true -> vr x = vr y -> x = y.
Proof.
  intros Hx Hy H1 H2 E. apply is_anchor_spec in H1, H2. apply HU; auto. unfold nm. f_equal; auto.
  destruct H1 as (-> & _), H2 as (-> & _). congruence.
Qed.

(* a chain that ends above a committed anchor passes through it *)
Lemma passes x : direct x -> forall l a, linked a l -> lowof a < vr x -> (exists b, In b l /\ vr x <= vr b) -> In x l.
Proof.
  intros HX. pose proof HX as (Hx & Ax & _). induction l as [|b t IH]; intros a L Ha (y & Hy & R); [destruct Hy|].
  simpl in L. destruct L as ((N1 & N2 & N3 & N4 & N5) & _ & L).
  destruct (lt_eq_lt_dec (vr x) (vr b)) as [[Q|Q]|Q].
  - exfalso. apply (N5 x); auto. eapply above_up; [|apply anchor_reached; auto]; try lia.
    + apply anchor_gap; auto.
    + eapply whole_up; [|exact N4]. lia.
  - left. symmetry. apply anchor_same; auto.
  - right. apply (IH (Some b)); auto. destruct Hy as [<-|Hy]; [lia|eauto].
Qed.
(* what lies below an anchor in a chain follows from the anchor *)
Lemma same_down : forall u x u' a, linked a (u ++ [x]) -> linked a (u' ++ [x]) -> u = u'.
Proof.
  assert (NB : forall a v x y, linked a [x] -> linked a ((v ++ [y]) ++ [x]) -> False).
  { intros a v x y L L'. pose proof (linked_right _ _ _ L') as R. rewrite endof_app in R. simpl in R, L.
    destruct R as ((_ & _ & R1 & _) & _). destruct L as ((_ & _ & _ & _ & N) & _).
    assert (J : joined (endof a (v ++ [y])) [x]) by (apply linked_joined; auto; destruct v; discriminate).
    rewrite endof_app in J. simpl in J.
    destruct (linked_in a _ y L') as (I1 & I2 & I3); [rewrite !in_app_iff; simpl; auto|].
    apply (N y I1 I2); [simpl in R1; lia|]. eapply above_up; [|exact J]. lia. }
  intros u. induction u as [|y u IH] using rev_ind; intros x u' a L L'.
  - destruct u' as [|y' v'] using rev_ind; auto. exfalso. simpl in L. eapply NB; eauto.
  - destruct u' as [|y' v'] using rev_ind; [exfalso; simpl in L'; eapply NB; eauto|]. clear IHv'.
    assert (K : forall v y, linked a ((v ++ [y]) ++ [x]) -> linked a (v ++ [y]) /\ next (Some y) x /\
        hist C (above (vr y - 1)) x y /\ In y C /\ is_anchor y = true).
    { clear - I. intros v y L. split; [eapply linked_left; eauto|].
      pose proof (linked_right _ _ _ L) as R. rewrite endof_app in R. simpl in R.
      assert (J : joined (endof a (v ++ [y])) [x]) by (apply linked_joined; auto; destruct v; discriminate).
      rewrite endof_app in J. simpl in J.
      destruct (linked_in a _ y L) as (I1 & I2 & I3); [rewrite !in_app_iff; simpl; auto|]. tauto. }
    destruct (K u y L) as (L1 & N1 & H1 & C1' & A1), (K v' y' L') as (L2 & N2 & H2 & C2' & A2).
    destruct N1 as (_ & _ & R1 & _ & M1), N2 as (_ & _ & R2 & _ & M2). simpl in *.
    assert (y = y').
    { destruct (lt_eq_lt_dec (vr y) (vr y')) as [[Q|Q]|Q].
      - exfalso. apply (M1 y'); auto. eapply above_up; [|exact H2]. lia.
      - apply anchor_same; auto.
      - exfalso. apply (M2 y); auto. eapply above_up; [|exact H1]. lia. }
    subst y'. f_equal. eapply IH; eauto.
Qed.
Lemma compare a l l' : linked a l -> linked a l' -> good l -> good l' -> prefix l l' \/ prefix l' l.
Proof.
  assert (K : forall u x u' x', linked a (u ++ [x]) -> linked a (u' ++ [x']) -> direct x -> vr x <= vr x' ->
    prefix (u ++ [x]) (u' ++ [x'])).
  { intros u x u' x' L L' D R.
    assert (Ix : In x (u' ++ [x'])).
    { apply (passes x D _ a); auto; [eapply (linked_in a _ x L); apply in_app_iff; simpl; auto|].
      exists x'. split; auto. apply in_app_iff. simpl. auto. }
    apply in_split in Ix. destruct Ix as (v & t & E). exists t. rewrite E, <- app_assoc. simpl.
    assert (u = v); [|congruence]. apply (same_down u x v a); auto.
    rewrite E in L'. apply (linked_left _ a t). rewrite <- app_assoc. exact L'. }
  intros L L' [->|(u & x & -> & D)] G'; [left; exists l'; auto|].
  destruct G' as [->|(u' & x' & -> & D')]; [right; exists (u ++ [x]); auto|].
  destruct (le_ge_dec (vr x) (vr x')) as [R|R]; [left|right]; apply K; auto.
Qed.

(* the walk of a node that accepted what its vertices name above round lo *)
Lemma walk_linked a D : incl D C ->
  (forall y z, In y D -> lowof a < vr y -> In z C -> In (nm z) (names y) -> lowof a < vr z -> here D (nm z) = true) ->
  forall r x, In x D -> is_anchor x = true -> lowof a < vr x -> r < vr x -> whole (lowof a) x ->
  (forall z, In z C -> is_anchor z = true -> r < vr z < vr x -> ~ hist C (above (lowof a)) x z) ->
  linked a (walk D (lowof a) r x ++ [x]).
Proof.
  intros HI HC.
  assert (HVD : all_valid D) by (intros y Hy; auto).
  assert (HS : forall x y, In x D -> lowof a < vr x -> (hist C (above (lowof a)) x y <-> hist D (above (lowof a)) x y)).
  { intros x y Hx Rx. apply hist_same; auto. intros v z Hv Hok Hz Hn Ho. apply above_true in Ho. simpl in Ho.
    apply (HC v z); auto. destruct Hok as [->|Hok]; auto. apply above_true in Hok. auto. }
  induction r as [|r IH]; intros x Hx Ax Ra Rx W NZ.
  { simpl. repeat split; auto. intros z Hz Az Rz. apply NZ; auto. lia. }
  cbn -[Nat.leb]. destruct (S r <=? lowof a) eqn:El.
  { apply Nat.leb_le in El. simpl. repeat split; auto. intros z Hz Az Rz. apply NZ; auto. lia. }
  apply Nat.leb_gt in El.
  assert (SKIP : (forall z, In z C -> is_anchor z = true -> vr z = S r -> ~ hist C (above (lowof a)) x z) ->
     linked a (walk D (lowof a) r x ++ [x])).
  { intros NS. apply IH; auto; [lia|]. intros z Hz Az Rz. destruct (Nat.eq_dec (vr z) (S r)) as [Q|Q]; auto.
    apply NZ; auto. lia. }
  destruct (find _ D) as [y|] eqn:E.
  - apply find_some in E. rewrite andb_true_iff, Nat.eqb_eq in E. destruct E as (Hy & Ay & Ry).
    destruct (reaches D (lowof a) x y) eqn:Q.
    + apply reaches_true in Q; auto. apply HS in Q; auto.
      assert (Wy : whole (lowof a) y) by (eapply whole_part; eauto).
      apply linked_app.
      * apply IH; auto; try lia.
      * rewrite endof_app. simpl. split; [|split; exact Logic.I].
        split; [auto|split; [auto|split; [simpl; lia|split]]].
        -- eapply whole_up; [|exact W]. simpl. lia.
        -- simpl. intros z Hz Az Rz Hh. apply (NZ z); auto; [lia|]. eapply above_up; [|exact Hh]. lia.
      * rewrite endof_app. simpl. eapply hist_sharp; eauto; lia.
    + apply SKIP. intros z Hz Az Rz Hh. assert (z = y) by (apply anchor_same; auto; lia). subst z.
      apply HS in Hh; auto. apply reaches_true in Hh; auto. congruence.
  - apply SKIP. intros z Hz Az Rz Hh. apply HS in Hh; auto. pose proof (hist_in _ _ _ _ Hh Hx) as Iz.
    apply (find_none _ _ E) in Iz. rewrite Az, Rz, Nat.eqb_refl in Iz. discriminate.
Qed.

(* ---------- what is delivered ---------- *)
Lemma at_same H H' n : uniq H -> (forall y, In y H <-> In y H') -> at_ H n = at_ H' n.
Proof.
  intros U E. unfold at_. destruct (find (named n) H) as [y|] eqn:E1, (find (named n) H') as [z|] eqn:E2; auto.
  - apply find_some in E1, E2. f_equal. destruct E1 as [H1 N1], E2 as [H2 N2]. apply named_true in N1, N2.
    apply U; auto; [apply E; auto|congruence].
  - apply find_some in E1. destruct E1 as [H1 N1]. apply E in H1. rewrite (find_none _ _ E2 _ H1) in N1. discriminate.
  - apply find_some in E2. destruct E2 as [H2 N2]. apply E in H2. rewrite (find_none _ _ E1 _ H2) in N2. discriminate.
Qed.
Lemma collect_same D done x : incl D C -> In x D -> closed C D (fresh x done) x ->
  collect D done x = collect C done x.
Proof.
  intros HI Hx HC. unfold collect. set (H := histl D _ _ _). set (H' := histl C _ _ _).
  assert (E : forall y, In y H <-> In y H').
  { intros y. unfold H, H'. rewrite !histl_iff; auto; [|intros z Hz; auto]. symmetry. apply hist_same; auto. }
  assert (U : uniq H).
  { intros y z Hy Hz. apply HU; eapply hist_in; try (apply E in Hy, Hz; apply histl_sound in Hy, Hz; eauto); auto. }
  apply flat_map_ext. intros n. now rewrite (at_same H H' n U E).
Qed.
Lemma collect_round D done x y : all_valid D -> In x D -> In y (collect D done x) -> vr y <= vr x.
Proof.
  intros HVD Hx H. unfold collect in H. apply in_flat_map in H. destruct H as (n & _ & H).
  destruct (at_ _ n) as [z|] eqn:E; [|destruct H]. destruct H as [->|[]]. apply find_some in E.
  destruct E as [E _]. apply histl_sound in E. eapply hist_down; eauto.
Qed.
Lemma deliver_app D l : forall done l',
  deliver D done (l ++ l') = deliver D done l ++ deliver D (done ++ ledger (deliver D done l)) l'.
Proof.
  induction l as [|x t IH]; simpl; intros done l'; [now rewrite app_nil_r|].
  rewrite IH, <- app_assoc. reflexivity.
Qed.
Lemma deliver_firstn D l : forall done k, firstn k (deliver D done l) = deliver D done (firstn k l).
Proof. induction l as [|x t IH]; simpl; intros done [|k]; simpl; auto. now rewrite IH. Qed.
Lemma deliver_round l : forall done y, incl l C -> In y (ledger (deliver C done l)) -> exists x, In x l /\ vr y <= vr x.
Proof.
  induction l as [|x t IH]; simpl; intros done y Hl H; [tauto|]. apply in_app_iff in H. destruct H as [H|H].
  - exists x. split; auto. eapply collect_round; eauto. apply Hl. simpl. auto.
  - destruct (IH _ _ (fun z Hz => Hl z (or_intror Hz)) H) as (z & ? & ?). eauto.
Qed.

(* ---------- what every node keeps to, at any moment s before e ---------- *)
Definition Jlog (s : state) (p : nat) : Prop :=
  exists t, linked None (anchors (log s p) ++ t) /\ good (anchors (log s p) ++ t).
Definition Jled (s : state) (p : nat) : Prop := log s p = deliver C [] (anchors (log s p)).
Definition Jacc (s : state) (p : nat) : Prop := forall x, In x (acc s p) -> In x C /\
  (In x (ledger (log s p)) \/ forall n, In n (names x) -> settled (flr s p) (acc s p) n = true).
Definition Jflr (s : state) (p : nat) : Prop := flr s p = 0 \/ flr s p + depth <= last_round (log s p).
Definition inv (s : state) : Prop := forall p, Jlog s p /\ Jled s p /\ Jacc s p /\ Jflr s p.

Lemma compare_logs s s' p q : inv s -> inv s' -> prefix (log s p) (log s' q) \/ prefix (log s' q) (log s p).
Proof.
  intros J J'. destruct (J p) as ((t & L & G) & E & _), (J' q) as ((t' & L' & G') & E' & _).
  assert (K : forall l l', prefix l l' -> prefix (deliver C [] l) (deliver C [] l')).
  { intros l l' [u ->]. rewrite deliver_app. eexists; reflexivity. }
  assert (W : forall (l l' m : list Vtx), prefix l m -> prefix l' m -> prefix l l' \/ prefix l' l).
  { clear. induction l as [|x l IH]; intros l' m [u E] [u' E']; [left; exists l'; auto|].
    destruct l' as [|x' l']; [right; exists (x :: l); auto|]. subst m. simpl in E'. inversion E'.
    destruct (IH l' (l ++ u)) as [[v V]|[v V]]; [exists u; auto|exists u'; auto|left|right]; exists v; simpl; congruence. }
  rewrite E, E'. destruct (compare None _ _ L L' G G') as [[u U]|[u U]].
  - destruct (W (anchors (log s p)) (anchors (log s' q)) (anchors (log s' q) ++ t')); auto.
    + rewrite U, <- app_assoc. eexists; reflexivity.
    + eexists; reflexivity.
  - destruct (W (anchors (log s p)) (anchors (log s' q)) (anchors (log s p) ++ t)); auto.
    + eexists; reflexivity.
    + rewrite U, <- app_assoc. eexists; reflexivity.
Qed.
Lemma lowof_grows l : forall a b, linked a l -> In b l -> vr b <= lowof (endof a l).
Proof.
  assert (K : forall l a, linked a l -> lowof a <= lowof (endof a l)).
  { clear. induction l as [|b t IH]; simpl; intros a H; auto. destruct H as ((_ & _ & R & _) & _ & L).
    specialize (IH _ L). simpl in IH. lia. }
  induction l as [|c t IH]; simpl; intros a b H Hb; [destruct Hb|]. destruct H as (_ & _ & L).
  destruct Hb as [<-|Hb]; [apply (K t (Some c) L)|]. apply (IH _ _ L Hb).
Qed.
Lemma ledger_round s p y : Jlog s p -> Jled s p -> incl (anchors (log s p)) C ->
  In y (ledger (log s p)) -> vr y <= last_round (log s p).
Proof.
  intros (t & L & _) E HI Hy. rewrite E in Hy. apply deliver_round in Hy; auto. destruct Hy as (x & Hx & R).
  apply linked_left in L. pose proof (lowof_grows _ _ _ L Hx). unfold last_round. lia.
Qed.

Lemma closed_floor s p D done x : incl D C -> Jflr s p -> Jacc s p -> D = acc s p ->
  (forall y, In y (ledger (log s p)) -> In y done /\ vr y <= last_round (log s p)) -> last_round (log s p) < vr x ->
  closed C D (fresh x done) x.
Proof.
  intros HI HF HA -> HL Hx y z Hy Hok Hz Hn Ho. destruct (HA y Hy) as (_ & [K|K]).
  - exfalso. destruct (HL y K) as [K1 K2]. destruct Hok as [->|Hok]; [lia|].
    unfold fresh in Hok. apply andb_true_iff in Hok. destruct Hok as [_ Hok]. apply negb_true_iff in Hok.
    assert (here done (nm y) = true) by (apply here_true; eauto). congruence.
  - specialize (K _ Hn). unfold settled in K. apply orb_true_iff in K. destruct K as [K|K]; auto. exfalso.
    apply Nat.leb_le in K. unfold fresh in Ho. apply andb_true_iff in Ho. destruct Ho as [Ho _].
    apply Nat.leb_le in Ho. pose proof (valid_round z (HV z Hz)). simpl in *. destruct HF; lia.
Qed.
Lemma deliver_same s p l : incl (acc s p) C -> Jflr s p -> Jacc s p -> forall done,
  (forall y, In y (ledger (log s p)) -> In y done /\ vr y <= last_round (log s p)) ->
  (forall x, In x l -> In x (acc s p) /\ last_round (log s p) < vr x) ->
  deliver (acc s p) done l = deliver C done l.
Proof.
  intros HI HF HA. induction l as [|x t IH]; simpl; intros done HL Hl; auto.
  destruct (Hl x (or_introl eq_refl)) as [Hx Rx].
  rewrite (collect_same (acc s p) done x); auto; [|eapply closed_floor; eauto].
  f_equal. apply IH; auto. intros y Hy. destruct (HL y Hy). split; auto. apply in_app_iff. auto.
Qed.

(* a node orders: the new part of its log is linked to the old one, and is what everybody delivers *)
Lemma order_inv s p x : inv s -> cinv s -> incl (cert s) C -> may_order s p x = true ->
  let l := anchors (log s p) in let ch := chain (acc s p) (last_round (log s p)) x in
  (exists t, linked None (l ++ ch ++ t) /\ good (l ++ ch ++ t)) /\
  deliver (acc s p) (ledger (log s p)) ch = deliver C (ledger (log s p)) ch.
Proof.
  intros J IS HS H l ch. unfold may_order in H. rewrite !andb_true_iff, memv_true in H.
  destruct H as [[[Hx Ax] Rx] Qx]. apply Nat.ltb_lt in Rx. apply Nat.leb_le in Qx.
  destruct (J p) as (JL & JE & JA & JF). pose proof JL as (t & L & G). fold l in L, G.
  assert (HI : incl (acc s p) C) by (eapply incl_tran; [apply (ci_acc s IS)|exact HS]).
  assert (HA : incl l C) by (eapply incl_tran; [apply (ci_log s IS)|exact HS]).
  pose (a := endof None l). assert (Ea : lowof a = last_round (log s p)) by reflexivity.
  assert (DX : direct x).
  { split; [auto|split; auto]. eapply Nat.le_trans; [exact Qx|]. apply wsum_mono. intros z _.
    rewrite !existsb_exists. intros (y & Hy & Q). exists y. split; auto. }
  assert (LR : forall y, In y (ledger (log s p)) -> vr y <= last_round (log s p)) by (intros; apply ledger_round; auto).
  assert (HC : forall y z, In y (acc s p) -> lowof a < vr y -> In z C -> In (nm z) (names y) -> lowof a < vr z ->
     here (acc s p) (nm z) = true).
  { intros y z Hy Ry Hz Hn Rz. destruct (JA y Hy) as (_ & [K|K]); [specialize (LR y K); lia|].
    specialize (K _ Hn). unfold settled in K. apply orb_true_iff in K. destruct K as [K|K]; auto. exfalso.
    apply Nat.leb_le in K. pose proof (valid_round z (HV z Hz)). simpl in K. destruct JF; lia. }
  assert (HSAME : forall y, hist C (above (lowof a)) x y -> In y (acc s p)).
  { intros y Hy. apply (hist_same C (acc s p)) in Hy; auto; [eapply hist_in; eauto|].
    intros v z Hv Hok Hz Hn Ho. apply above_true in Ho. simpl in Ho.
    apply (HC v z); auto. destruct Hok as [->|Hok]; [lia|]. apply above_true in Hok. auto. }
  assert (WX : whole (lowof a) x).
  { intros y Hy n Hn Rn. pose proof (HSAME y Hy) as Iy. destruct (JA y Iy) as (_ & [K|K]).
    - specialize (LR y K). destruct (hist_ok _ _ _ _ Hy) as [->|O]; [lia|]. apply above_true in O. simpl in O. lia.
    - specialize (K _ Hn). unfold settled in K. apply orb_true_iff in K. destruct K as [K|K].
      + apply Nat.leb_le in K. destruct JF; lia.
      + exact (here_mono _ _ _ HI K). }
  assert (LC : linked a ch).
  { unfold ch, chain. rewrite <- Ea. apply walk_linked; auto; try lia. }
  assert (GC : good ch) by (right; unfold ch, chain; eauto).
  split.
  - assert (GL : l ++ t = [] \/ t <> [] \/ exists u y, l = u ++ [y] /\ direct y).
    { destruct t as [|y t]; [|right; left; discriminate]. rewrite app_nil_r in *.
      destruct G as [G|G]; auto. }
    pose proof (linked_right _ _ _ L) as Lt. fold a in Lt.
    assert (Gt : good t).
    { destruct t as [|y t']; [left; auto|]. destruct G as [G|(u & z & E & D)].
      - destruct l; discriminate.
      - right. destruct t' as [|y' t'] using rev_ind.
        + apply app_inj_tail in E. destruct E; subst. exists [], z. auto.
        + rewrite app_comm_cons, app_assoc in E. apply app_inj_tail in E. destruct E; subst.
          exists (y :: t'), z. auto. }
    destruct (compare a ch t LC Lt GC Gt) as [[u U]|[u U]].
    + exists u. rewrite U in L, G. auto.
    + exists []. rewrite app_nil_r. split.
      * apply linked_app; auto; [eapply linked_left; eauto|]. fold a. destruct t as [|y t'].
        { destruct GL as [GL|[GL|(v & y & El & Dy)]]; [|congruence|].
          - rewrite app_nil_r in GL. unfold a. rewrite GL. simpl. auto.
          - assert (Ev : a = Some y) by (unfold a; rewrite El, endof_app; auto). rewrite Ev in *.
            destruct ch as [|b ch']; auto. simpl. destruct LC as ((B1 & B2 & B3 & B4 & B5) & _).
            apply anchor_reached; auto. simpl in B3. apply anchor_gap; auto. apply Dy. }
        rewrite U. simpl. destruct l as [|x0 l0]; [unfold a; simpl; auto|].
        pose proof (linked_joined _ _ _ L ltac:(discriminate)) as JJ. fold a in JJ. destruct a; auto.
      * right. unfold ch, chain. exists (l ++ walk (acc s p) (last_round (log s p)) (vr x - 1) x), x.
        rewrite app_assoc. auto.
  - apply deliver_same; auto. intros y Hy. rewrite <- Ea. destruct (linked_in a _ y LC Hy) as (_ & _ & R).
    split; auto. unfold ch, chain in Hy. apply in_app_iff in Hy. destruct Hy as [Hy|[<-|[]]]; auto.
    eapply walk_incl; eauto.
Qed.

Lemma ledger_app l l' : ledger (l ++ l') = ledger l ++ ledger l'.
Proof. unfold ledger. apply flat_map_app. Qed.
Lemma inv_exec s ev s' : inv s -> cinv s -> incl (cert s') C -> exec s ev = Some s' -> inv s'.
Proof.
  intros J IS HS H. pose proof (exec_cert _ _ _ H) as HM.
  assert (HSs : incl (cert s) C) by (eapply incl_tran; eauto).
  destruct ev as [p x|x|p x|p x|p k|p q k]; simpl in H.
  - destruct (byz p || _); [|discriminate]. injection H as <-. exact J.
  - destruct (may_certify s x); [|discriminate]. injection H as <-. exact J.
  - destruct (acceptable s p x) eqn:E; [|discriminate]. injection H as <-. intros r.
    destruct (J r) as (JL & JE & JA & JF). split; [exact JL|split; [exact JE|split; [|exact JF]]].
    unfold Jacc. simpl. unfold upd. destruct (r =? p) eqn:Er; [|exact JA]. apply Nat.eqb_eq in Er. subst r.
    unfold acceptable in E. rewrite Hclosed in E. simpl in E. rewrite andb_true_iff, orb_true_iff, !memv_true in E.
    assert (UP : forall y n, settled (flr s p) (acc s p) n = true -> settled (flr s p) (y :: acc s p) n = true).
    { intros y n. apply settled_mono; auto. apply incl_tl, incl_refl. }
    intros y [<-|Hy].
    + destruct E as [E1 E2]. split; auto. destruct E2 as [E2|E2]; auto. right. rewrite forallb_forall in E2. auto.
    + destruct (JA y Hy) as (K1 & K2). split; auto. destruct K2; auto.
  - destruct (may_order s p x) eqn:E; [|discriminate]. injection H as <-.
    destruct (order_inv s p x J IS HSs E) as ((t & L & G) & ED).
    intros r. unfold Jlog, Jled, Jacc, Jflr. simpl. unfold upd.
    destruct (r =? p) eqn:Er; [|apply J]. apply Nat.eqb_eq in Er. subst r.
    destruct (J p) as (JL & JE & JA & JF). rewrite anchors_app, deliver_anchors. split; [|split; [|split]].
    + exists t. rewrite <- app_assoc. auto.
    + rewrite deliver_app. rewrite <- JE. simpl. rewrite ED. reflexivity.
    + intros y Hy. destruct (JA y Hy) as (K1 & K2). split; auto. rewrite ledger_app, in_app_iff. tauto.
    + unfold Jflr, last_round in *. rewrite anchors_app, deliver_anchors, endof_app.
      destruct JF as [JF|JF]; auto. right. eapply Nat.le_trans; [exact JF|].
      unfold may_order in E. rewrite !andb_true_iff in E. destruct E as [[_ E] _]. apply Nat.ltb_lt in E.
      unfold last_round in E. unfold chain. rewrite endof_app. simpl. lia.
  - destruct (negb rule_floor || _) eqn:E; [|discriminate]. injection H as <-. rewrite Hfloor in E. simpl in E.
    apply Nat.leb_le in E. intros r. destruct (J r) as (JL & JE & JA & JF).
    split; [exact JL|split; [exact JE|]]. unfold Jacc, Jflr. simpl. unfold upd.
    destruct (r =? p) eqn:Er; [|split; auto]. apply Nat.eqb_eq in Er. subst r. split.
    + intros y Hy. destruct (JA y Hy) as (K1 & K2). split; auto. destruct K2 as [K2|K2]; auto. right.
      intros n Hn. eapply settled_mono; [| |apply K2; auto]; [lia|apply incl_refl].
    + destruct JF; [destruct (Nat.eq_dec k 0); [left|right]|right]; lia.
  - destruct (length _ <=? _) eqn:E; [|discriminate]. injection H as <-. apply Nat.leb_le in E.
    intros r. unfold Jlog, Jled, Jacc, Jflr. simpl. unfold upd.
    destruct (r =? p) eqn:Er; [|apply J]. apply Nat.eqb_eq in Er. subst r.
    destruct (J q) as ((t & L & G) & JE & _), (J p) as (JL & JEp & JA & JF).
    assert (PR : prefix (log s p) (firstn k (log s q))).
    { destruct (compare_logs s s p q J J) as [[u U]|[u U]].
      - exists (firstn (k - length (log s p)) u). rewrite U, firstn_app in *. rewrite firstn_all2; auto.
        rewrite app_length, firstn_length in E.
        destruct (le_lt_dec (length (log s p)) k); auto. rewrite !firstn_length in E. lia.
      - rewrite U in E. rewrite app_length, firstn_length in E. rewrite U.
        assert (u = []) by (destruct u; auto; simpl in E; lia). subst u. rewrite app_nil_r in *.
        rewrite firstn_all2; [exists []; now rewrite app_nil_r|]. lia. }
    split; [|split; [|split]].
    + exists (skipn k (anchors (log s q)) ++ t). unfold anchors in *. rewrite <- firstn_map, app_assoc, firstn_skipn. auto.
    + rewrite JE at 1. rewrite deliver_firstn. unfold anchors. now rewrite firstn_map.
    + destruct PR as [u U]. rewrite U. intros y Hy. destruct (JA y Hy) as (K1 & K2). split; auto.
      rewrite ledger_app, in_app_iff. tauto.
    + destruct PR as [u U]. rewrite U. unfold last_round in *. rewrite anchors_app, endof_app.
      destruct JF as [JF|JF]; auto. right. eapply Nat.le_trans; [exact JF|].
      assert (LL : linked None (anchors (log s p) ++ anchors u)).
      { rewrite <- anchors_app, <- U. unfold anchors. rewrite <- firstn_map.
        apply (linked_left _ None (skipn k (anchors (log s q)) ++ t)). unfold anchors.
        rewrite app_assoc, firstn_skipn. exact L. }
      apply linked_right in LL. unfold last_round. destruct (anchors u) as [|b v] eqn:Eu; [auto|].
      pose proof (lowof_grows _ _ b LL ltac:(simpl; auto)). simpl in LL. destruct LL as ((_ & _ & ? & _) & _). lia.
Qed.
Lemma inv_run es : forall s s', inv s -> cinv s -> run s es = Some s' -> incl (cert s') C -> inv s'.
Proof.
  induction es as [|ev t IH]; simpl; intros s s' J IS H HS; [inversion H; subst; auto|].
  destruct (exec s ev) as [s1|] eqn:E; [|discriminate].
  assert (HS1 : incl (cert s1) C) by (eapply incl_tran; [eapply run_cert; eauto|auto]).
  eapply IH; [| |exact H|auto]; [eapply inv_exec; eauto|eapply cinv_exec; eauto].
Qed.
Lemma inv_init : inv init.
Proof.
  intros p. split; [exists []; simpl; split; [auto|left; auto]|split; [reflexivity|split; [intros x []|left; reflexivity]]].
Qed.
End Order.

Section Main.
Context {P : CParams} {VT : Vertices} {LG : CLegal P}.
Lemma reach_inv s e : reach s -> later s e -> reach e /\ forall (I : cinv e), inv e s.
Proof.
  intros [es H] [es' H']. assert (R : run init (es ++ es') = Some e).
  { revert H. generalize init. induction es as [|ev t IH]; simpl; intros s0 H; [inversion H; subst; auto|].
    destruct (exec s0 ev); [auto|discriminate]. }
  split; [exists (es ++ es'); exact R|]. intros I.
  eapply (inv_run e I es); [apply inv_init|apply cinv_init|exact H|eapply run_cert; eauto].
Qed.
(* Two nodes or observers p and q, each at any moment of one run: of their logs (anchors, and what each delivered) one is
   a prefix of the other. With p = q: a log only grows. *)
Theorem certified_agreement e s1 s2 p q : reach s1 -> reach s2 -> later s1 e -> later s2 e ->
  prefix (log s1 p) (log s2 q) \/ prefix (log s2 q) (log s1 p).
Proof.
  intros R1 R2 L1 L2. destruct (reach_inv s1 e R1 L1) as [RE J1], (reach_inv s2 e R2 L2) as [_ J2].
  pose proof (reach_cinv e RE) as I. apply (compare_logs e I); auto.
Qed.
Corollary certified_ledger e s1 s2 p q : reach s1 -> reach s2 -> later s1 e -> later s2 e ->
  prefix (ledger (log s1 p)) (ledger (log s2 q)) \/ prefix (ledger (log s2 q)) (ledger (log s1 p)).
Proof.
  intros R1 R2 L1 L2. destruct (certified_agreement e s1 s2 p q R1 R2 L1 L2) as [[t H]|[t H]]; [left|right];
  rewrite H, ledger_app; eexists; reflexivity.
Qed.
End Main.
Print Assumptions R3_unique.
Print Assumptions anchor_reached.
Print Assumptions certified_agreement.
Print Assumptions certified_ledger.
