(* Anchored sparse Bullshark, docs/protocols/anchored.md: a committed anchor is reached by every later anchor,
   and the orders of any two processes agree. Certification is modelled by votes. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight.

Class BParams := { bN : nat; bw : nat -> nat; bf : nat; bleader : nat -> nat; bbyz : nat -> bool;
  bq : nat;          (* votes that certify *)
  bd : nat;          (* parents of an anchor *)
  bc : nat;          (* votes that commit *)
  bchain : bool      (* a correct author signs no header before its last one is certified *) }.
Definition btotal {P : BParams} : nat := wsum bw (fun _ => true) bN.
Class BLegal (P : BParams) : Prop := {
  bbyz_le : wsum bw bbyz bN <= bf;
  bQ : btotal + bf + 1 <= bq + bq;        (* all = q = n-f with n >= 3f+1 is one choice *)
  bCD : btotal + bf + 1 <= bc + bd;
  bCH : bchain = true
}.
Class Vertices := {
  Vtx : Type; veq_dec : forall x y : Vtx, {x = y} + {x <> y};
  va : Vtx -> nat; vr : Vtx -> nat; vself : Vtx -> option Vtx; vpar : Vtx -> list Vtx  (* parents, anchor, samples, stragglers *)
}.

Section B.
Context {P : BParams} {VT : Vertices} {LG : BLegal P}.

Definition vedges (x : Vtx) : list Vtx := match vself x with Some y => [y] | None => [] end ++ vpar x.
Definition vmem x X := if in_dec veq_dec x X then true else false.
Lemma vmem_true x X : vmem x X = true <-> In x X.
Proof. unfold vmem. destruct (in_dec veq_dec x X); split; intros; auto; congruence. Qed.
(* weight of the authors of a list of vertices that satisfy a test: distinct authors by construction *)
Definition vhas (X : list Vtx) (t : Vtx -> bool) (p : nat) : bool := existsb (fun x => (va x =? p) && t x) X.
Definition vwgt X t := wsum bw (vhas X t) bN.
Lemma vhas_true X t p : vhas X t p = true <-> exists x, In x X /\ va x = p /\ t x = true.
Proof.
  unfold vhas. rewrite existsb_exists. split; intros (x & H1 & H2); exists x.
  - apply andb_true_iff in H2. rewrite Nat.eqb_eq in H2. tauto.
  - split; auto. apply andb_true_iff. rewrite Nat.eqb_eq. tauto.
Qed.
Definition is_anchor (x : Vtx) : bool := (va x =? bleader (vr x)) && Nat.even (vr x).
(* validity, (L1): an anchor of round >= 2 has parents of round-1 by authors of weight d; edges go down *)
Definition vvalid (x : Vtx) : bool :=
  (va x <? bN) && forallb (fun y => vr y <? vr x) (vedges x)
  && (match vself x with Some y => va y =? va x | None => true end)
  && (if is_anchor x && (2 <=? vr x) then bd <=? vwgt (vpar x) (fun y => vr y + 1 =? vr x) else true).

(* ---- runs: votes on headers, certificates ---- *)
Record bstate := { bvotes : list (nat * Vtx); bcert : list Vtx }.
Inductive bevent := BVote (p : nat) (x : Vtx) | BCert (x : Vtx).
Definition voted (s : bstate) (x : Vtx) (p : nat) : bool :=
  existsb (fun '(p', x') => (p' =? p) && if veq_dec x' x then true else false) (bvotes s).
Definition bown s p := filter (fun x => va x =? p) (bcert s).
Definition bhdrs s p := map snd (filter (fun '(p', x) => (p' =? p) && (va x =? p)) (bvotes s)).
Definition bexec (s : bstate) (e : bevent) : option bstate :=
  match e with
  | BVote p x =>      (* a correct node votes for one header per author and round; its vote for its own
                         header is the signing of it: rising rounds, self edge to its latest certified vertex;
                         bchain: not before its last header is certified *)
      if bbyz p ||
         (forallb (fun '(p', x') => negb ((p' =? p) && (va x' =? va x) && (vr x' =? vr x))) (bvotes s) &&
          (negb (va x =? p) ||
           (forallb (fun y => vr y <? vr x) (bhdrs s p) &&
            (negb bchain || forallb (fun y => vmem y (bcert s)) (bhdrs s p)) &&
            match vself x with
            | None => match bown s p with [] => true | _ => false end
            | Some y => vmem y (bown s p) && forallb (fun z => vr z <=? vr y) (bown s p)
            end)))
      then Some {| bvotes := (p, x) :: bvotes s; bcert := bcert s |} else None
  | BCert x =>        (* q votes, the author's among them if it is correct: nobody else can sign for it *)
      if (bq <=? wsum bw (voted s x) bN) && (bbyz (va x) || voted s x (va x))
      then Some {| bvotes := bvotes s; bcert := x :: bcert s |} else None
  end.
Fixpoint brun s es := match es with [] => Some s | e :: t => match bexec s e with Some s' => brun s' t | None => None end end.
Definition breach s := exists es, brun {| bvotes := []; bcert := [] |} es = Some s.

Inductive path (x : Vtx) : Vtx -> Prop :=
| p_refl : path x x
| p_step y z : path x y -> In z (vedges y) -> path x z.
Lemma path_trans x y z : path x y -> path y z -> path x z.
Proof. intros H1 H2. induction H2; auto. eapply p_step; eauto. Qed.

Record binv (s : bstate) : Prop := {
  bi_votes : forall p x y, In (p, x) (bvotes s) -> In (p, y) (bvotes s) -> bbyz p = false ->
      va x = va y -> vr x = vr y -> x = y;
  bi_cert : forall x, In x (bcert s) -> bq <= wsum bw (voted s x) bN;
  bi_signed : forall x, In x (bcert s) -> bbyz (va x) = false -> In (va x, x) (bvotes s);
  bi_own : forall x y, In (va x, x) (bvotes s) -> In (va x, y) (bvotes s) -> bbyz (va x) = false ->
      va x = va y -> vr y < vr x -> path x y
}.
Lemma voted_true s x p : voted s x p = true <-> In (p, x) (bvotes s).
Proof.
  unfold voted. rewrite existsb_exists. split.
  - intros ((p', x') & H1 & H2). apply andb_true_iff in H2. rewrite Nat.eqb_eq in H2.
    destruct H2 as [-> H2]. destruct (veq_dec x' x); [subst; auto|discriminate].
  - intros H. exists (p, x). split; auto. rewrite Nat.eqb_refl. simpl. now destruct (veq_dec x x).
Qed.
(* (author, round) is unique among certified vertices *)
Lemma cert_unique s x y : binv s -> In x (bcert s) -> In y (bcert s) -> va x = va y -> vr x = vr y -> x = y.
Proof.
  intros I Hx Hy E1 E2. pose proof (bi_cert s I x Hx). pose proof (bi_cert s I y Hy). pose proof bQ.
  destruct (wsum_quorum bw bbyz (voted s x) (voted s y) bN bf bbyz_le) as (p & _ & V1 & V2 & Z).
  { unfold btotal in *. lia. }
  apply voted_true in V1. apply voted_true in V2. eapply (bi_votes s I); eauto.
Qed.
Lemma bown_in s p x : In x (bown s p) <-> In x (bcert s) /\ va x = p.
Proof. unfold bown. rewrite filter_In, Nat.eqb_eq. tauto. Qed.
Lemma bhdrs_in s p x : In x (bhdrs s p) <-> In (p, x) (bvotes s) /\ va x = p.
Proof.
  unfold bhdrs. rewrite in_map_iff. split.
  - intros ((p', x') & E & H). simpl in E. subst x'. apply filter_In in H. destruct H as [H1 H2].
    apply andb_true_iff in H2. rewrite !Nat.eqb_eq in H2. destruct H2; subst; auto.
  - intros [H1 H2]. exists (p, x). split; auto. apply filter_In. split; auto.
    apply andb_true_iff. rewrite !Nat.eqb_eq. auto.
Qed.
Lemma bi_chain s : binv s -> forall x y, In x (bcert s) -> In y (bcert s) -> bbyz (va x) = false ->
  va x = va y -> vr y < vr x -> path x y.
Proof.
  intros I x y Hx Hy Z E R. apply (bi_own s I); auto.
  - apply (bi_signed s I); auto.
  - rewrite E. apply (bi_signed s I); auto. congruence.
Qed.
Lemma binv_exec s e s' : binv s -> bexec s e = Some s' -> binv s'.
Proof.
  intros I H. destruct e as [p x|x]; simpl in H.
  - destruct (bbyz p || _) eqn:E; [|discriminate]. injection H as <-. constructor; simpl.
    + assert (NEW : forall y, In (p, y) (bvotes s) -> bbyz p = false -> va x = va y -> vr x = vr y -> False).
      { intros y Hy Z E1 E2. rewrite Z in E. rewrite orb_false_l in E. apply andb_true_iff in E.
        destruct E as [E _]. rewrite forallb_forall in E.
        specialize (E _ Hy). simpl in E. rewrite Nat.eqb_refl, E1, E2, !Nat.eqb_refl in E. discriminate. }
      intros p' y z [Ey|Hy] [Ez|Hz] Z E1 E2.
      * congruence.
      * inversion Ey; subst. exfalso. eapply NEW; eauto.
      * inversion Ez; subst. exfalso. eapply (NEW y); eauto.
      * eapply (bi_votes s I); eauto.
    + intros y Hy. apply Nat.le_trans with (wsum bw (voted s y) bN); [apply (bi_cert s I); auto|]. apply wsum_mono.
      intros z _ Hz. apply voted_true. apply voted_true in Hz. simpl. auto.
    + intros y Hy Z. right. apply (bi_signed s I); auto.
    + assert (NEW : va x = p -> bbyz p = false ->
        forall y, In (p, y) (bvotes s) -> va y = p -> vr y < vr x /\ path x y).
      { intros Ex Z y Hy Ey. rewrite Z, orb_false_l in E. apply andb_true_iff in E. destruct E as [_ E].
        rewrite (proj2 (Nat.eqb_eq _ _) Ex), bCH in E. cbn [negb orb] in E.
        rewrite !andb_true_iff in E. destruct E as [[E1 E2] E3]. rewrite forallb_forall in E1, E2.
        assert (Yh : In y (bhdrs s p)) by (apply bhdrs_in; auto).
        specialize (E1 y Yh). specialize (E2 y Yh). apply Nat.ltb_lt in E1. apply vmem_true in E2.
        split; auto. assert (Yo : In y (bown s p)) by (apply bown_in; auto).
        destruct (vself x) as [o|] eqn:ES.
        - apply andb_true_iff in E3. destruct E3 as [C1 C2]. apply vmem_true, bown_in in C1.
          destruct C1 as [C1 C3]. rewrite forallb_forall in C2.
          assert (vr y <= vr o) by (apply Nat.leb_le, C2; auto).
          assert (PO : path x o) by (eapply p_step; [apply p_refl|]; unfold vedges; rewrite ES; simpl; auto).
          destruct (Nat.eq_dec (vr y) (vr o)) as [Q|Q].
          + assert (y = o) by (apply (cert_unique s); auto; congruence). subst. auto.
          + eapply path_trans; [exact PO|]. apply (bi_chain s I); auto; try congruence. lia.
        - destruct (bown s p); [destruct Yo|discriminate]. }
      intros y z [Ey|Hy] [Ez|Hz] Z E1 E2.
      * inversion Ey; inversion Ez; subst. lia.
      * inversion Ey; subst. apply NEW; auto.
      * inversion Ez; subst. destruct (NEW ltac:(congruence) Z y) as [N _]; auto. lia.
      * apply (bi_own s I); auto.
  - destruct ((bq <=? _) && _) eqn:E; [|discriminate]. injection H as <-.
    apply andb_true_iff in E. destruct E as [E1 E2]. apply Nat.leb_le in E1.
    constructor; simpl.
    + apply (bi_votes s I).
    + intros y [<-|Hy]; auto. apply (bi_cert s I); auto.
    + intros y [<-|Hy] Z; [|apply (bi_signed s I); auto].
      rewrite Z in E2. simpl in E2. apply voted_true. auto.
    + apply (bi_own s I).
Qed.
Theorem breach_inv s : breach s -> binv s.
Proof.
  intros [es H]. assert (I0 : binv {| bvotes := []; bcert := [] |}) by (constructor; simpl; tauto).
  revert H I0. generalize {| bvotes := []; bcert := [] |} as s0.
  induction es as [|e t IH]; simpl; intros s0 H I0; [inversion H; subst; auto|].
  destruct (bexec s0 e) eqn:E; [|discriminate]. eapply IH; eauto. eapply binv_exec; eauto.
Qed.

(* ---- a process's DAG: certified, valid, closed under edges ---- *)
Definition dag (s : bstate) (D : list Vtx) : Prop :=
  (forall x, In x D -> In x (bcert s) /\ vvalid x = true) /\ (forall x y, In x D -> In y (vedges x) -> In y D).
Definition isv (x : Vtx) (l : list Vtx) : bool := vmem x l.
(* votes for anchor x: round+1 vertices with an edge to it *)
Definition avotes (D : list Vtx) (x : Vtx) : nat := vwgt D (fun y => (vr y =? vr x + 1) && isv x (vedges y)).
Definition acommit (D : list Vtx) (x : Vtx) : Prop :=
  In x D /\ is_anchor x = true /\ 2 <= vr x /\ bc <= avotes D x.

Section S.
Variable s : bstate.
Hypothesis I : binv s.

Lemma dag_path D x y : dag s D -> In x D -> path x y -> In y D.
Proof. intros [_ C] Hx H. induction H; auto. eapply C; eauto. Qed.

Theorem anchor_reached D D' x y : dag s D -> dag s D' ->
  acommit D x -> In y D' -> is_anchor y = true -> vr x + 2 <= vr y -> path y x.
Proof.
  intros HD HD' (Hx & Ax & Rx & Qx) Hy Ay Hr.
  destruct (proj1 HD' y Hy) as [_ Vy]. unfold vvalid in Vy. rewrite !andb_true_iff in Vy.
  destruct Vy as [_ Vy]. rewrite Ay, (proj2 (Nat.leb_le 2 (vr y)) ltac:(lia)) in Vy. simpl in Vy.
  apply Nat.leb_le in Vy. pose proof bCD. unfold avotes, vwgt in *.
  destruct (wsum_quorum bw bbyz _ _ bN bf bbyz_le ltac:(unfold btotal in *; eapply Nat.le_trans; [|apply Nat.add_le_mono; [exact Qx|exact Vy]]; lia))
    as (p & _ & V1 & V2 & Z).
  apply vhas_true in V1. apply vhas_true in V2.
  destruct V1 as (u & Hu & Eu & Tu), V2 as (w & Hw & Ew & Tw).
  apply andb_true_iff in Tu. destruct Tu as [Tu1 Tu2]. apply Nat.eqb_eq in Tu1, Tw.
  unfold isv in Tu2. apply vmem_true in Tu2.
  assert (Pw : path y w) by (eapply p_step; [apply p_refl|]; unfold vedges; apply in_or_app; auto).
  assert (Cw : In w (bcert s)) by (apply (proj1 HD'); eapply dag_path; eauto).
  assert (Cu : In u (bcert s)) by (apply (proj1 HD); auto).
  assert (Pu : path w u).
  { destruct (Nat.eq_dec (vr u) (vr w)) as [Q|Q].
    - assert (u = w) by (apply (cert_unique s); auto; congruence). subst. apply p_refl.
    - apply (bi_chain s I); auto; try congruence. lia. }
  eapply path_trans; [exact Pw|]. eapply p_step; [exact Pu|auto].
Qed.

(* ---- the order: walk back from a committed anchor ---- *)
Fixpoint pathl (k : nat) (x : Vtx) : list Vtx :=
  match k with 0 => [] | S k' => x :: flat_map (pathl k') (vedges x) end.
Definition pathb (x y : Vtx) : bool := vmem y (pathl (S (vr x)) x).
Definition anchor_at (D : list Vtx) (r : nat) : option Vtx :=
  find (fun x => (va x =? bleader r) && (vr x =? r)) D.
(* anchors of rounds 2*lo+2 .. 2*k that the walk from cur pushes, oldest first *)
Fixpoint walk (D : list Vtx) (lo k : nat) (cur : Vtx) : list Vtx :=
  if k <=? lo then [] else
  match k with
  | 0 => []
  | S k' => match anchor_at D (2 * k) with
            | Some y => if pathb cur y then walk D lo k' y ++ [y] else walk D lo k' cur
            | None => walk D lo k' cur
            end
  end.
(* orderAnchors(x) with lastOrdered = 2*lo, x of round 2*m *)
Definition order (D : list Vtx) (lo m : nat) (x : Vtx) : list Vtx := walk D lo (m - 1) x ++ [x].

Lemma pathl_sound k : forall x y, In y (pathl k x) -> path x y.
Proof.
  induction k as [|k IH]; simpl; [tauto|]. intros x y [<-|H]; [apply p_refl|].
  apply in_flat_map in H. destruct H as (e & H1 & H2).
  eapply path_trans; [eapply p_step; [apply p_refl|exact H1]|]. auto.
Qed.
Lemma path_inv x y : path x y -> x = y \/ exists e, In e (vedges x) /\ path e y.
Proof.
  induction 1 as [|y z H IH Hz]; auto. right. destruct IH as [->|(e & H1 & H2)].
  - exists z. split; auto. apply p_refl.
  - exists e. split; auto. eapply p_step; eauto.
Qed.
Lemma pathl_complete D : dag s D -> forall k x y, In x D -> vr x < k -> path x y -> In y (pathl k x).
Proof.
  intros HD. induction k as [|k IH]; intros x y Hx Hk H; [lia|]. simpl.
  destruct (path_inv x y H) as [->|(e & H1 & H2)]; auto. right. apply in_flat_map. exists e. split; auto.
  apply IH; auto; [eapply (proj2 HD); eauto|].
  destruct (proj1 HD x Hx) as [_ V]. unfold vvalid in V. rewrite !andb_true_iff in V.
  destruct V as [[[_ V] _] _]. rewrite forallb_forall in V. specialize (V e H1). apply Nat.ltb_lt in V. lia.
Qed.
Lemma pathb_true D x y : dag s D -> In x D -> (pathb x y = true <-> path x y).
Proof.
  intros HD Hx. unfold pathb. rewrite vmem_true. split; [apply pathl_sound|].
  intros H. eapply pathl_complete; eauto.
Qed.
Lemma anchor_at_spec D r y : anchor_at D r = Some y -> In y D /\ va y = bleader r /\ vr y = r.
Proof.
  intros H. apply find_some in H. destruct H as [H1 H2]. apply andb_true_iff in H2.
  rewrite !Nat.eqb_eq in H2. tauto.
Qed.
Lemma anchor_at_in D r y : dag s D -> In y D -> va y = bleader r -> vr y = r -> anchor_at D r = Some y.
Proof.
  intros HD Hy E1 E2. destruct (anchor_at D r) as [z|] eqn:E.
  - apply anchor_at_spec in E. destruct E as (Hz & Z1 & Z2). f_equal.
    apply (cert_unique s); auto; try congruence; apply (proj1 HD); auto.
  - exfalso. apply (find_none _ _ E) in Hy. rewrite E1, E2, !Nat.eqb_refl in Hy. discriminate.
Qed.
Lemma is_anchor_even x m : vr x = 2 * m -> is_anchor x = true <-> va x = bleader (2 * m).
Proof.
  intros E. unfold is_anchor. rewrite E. replace (Nat.even (2 * m)) with true.
  - rewrite andb_true_r. apply Nat.eqb_eq.
  - symmetry. apply Nat.even_spec. exists m. lia.
Qed.

(* the walk depends on its start only, not on the process that walks *)
Lemma walk_indep D D' lo : dag s D -> dag s D' -> forall k x, In x D -> In x D' -> walk D lo k x = walk D' lo k x.
Proof.
  intros HD HD'.
  assert (T : forall D D' r x y, dag s D -> dag s D' -> In x D -> In x D' -> anchor_at D r = Some y ->
    pathb x y = true -> In y D' /\ anchor_at D' r = Some y).
  { clear - LG I. intros D D' r x y HD HD' Hx Hx' E Q. apply (pathb_true D) in Q; auto.
    assert (Hy : In y D') by (eapply dag_path; eauto).
    apply anchor_at_spec in E. split; auto. apply anchor_at_in; tauto. }
  induction k as [|k IH]; intros x Hx Hx'; cbn -[Nat.mul Nat.leb]; auto.
  destruct (S k <=? lo); auto.
  destruct (anchor_at D (2 * S k)) as [y|] eqn:E.
  - destruct (pathb x y) eqn:Q.
    + destruct (T D D' (2 * S k) x y) as [Hy' E']; auto. rewrite E', Q. f_equal.
      apply anchor_at_spec in E. apply IH; tauto.
    + destruct (anchor_at D' (2 * S k)) as [y'|] eqn:E'; auto.
      destruct (pathb x y') eqn:Q'; auto.
      destruct (T D' D (2 * S k) x y') as [Hy E2]; auto. congruence.
  - destruct (anchor_at D' (2 * S k)) as [y'|] eqn:E'; auto.
    destruct (pathb x y') eqn:Q'; auto.
    destruct (T D' D (2 * S k) x y') as [Hy E2]; auto. congruence.
Qed.

(* every walk from an anchor above a committed one passes through it *)
Lemma walk_through D D' lo m x : dag s D -> dag s D' -> acommit D x -> vr x = 2 * m -> lo < m ->
  forall k y, In y D' -> is_anchor y = true -> m <= k -> 2 * k < vr y ->
  exists t, walk D' lo k y = order D' lo m x ++ t /\ In x D'.
Proof.
  intros HD HD' HC Em Hlo. induction k as [|k IH]; intros y Hy Ay Hm Hk; [lia|].
  assert (HR : forall z, In z D' -> is_anchor z = true -> vr x + 2 <= vr z -> path z x)
    by (intros; eapply (anchor_reached D D'); eauto).
  assert (Hev : vr x + 2 <= vr y).
  { unfold is_anchor in Ay. apply andb_true_iff in Ay. destruct Ay as [_ Ay]. apply Nat.even_spec in Ay.
    destruct Ay as [j Ay]. lia. }
  cbn -[Nat.mul Nat.leb]. destruct (S k <=? lo) eqn:El; [apply Nat.leb_le in El; lia|].
  destruct (Nat.eq_dec m (S k)) as [->|Hne].
  - assert (Px : path y x) by auto. assert (Hx : In x D') by (eapply dag_path; eauto).
    destruct HC as (_ & Ax & _ & _). apply (is_anchor_even x (S k) Em) in Ax.
    rewrite (anchor_at_in D' (2 * S k) x); auto.
    rewrite (proj2 (pathb_true D' y x HD' Hy) Px). exists []. rewrite app_nil_r. split; auto.
    unfold order. replace (S k - 1) with k by lia. auto.
  - destruct (anchor_at D' (2 * S k)) as [z|] eqn:E; [|apply IH; auto; lia].
    destruct (pathb y z) eqn:Q; [|apply IH; auto; lia].
    apply anchor_at_spec in E. destruct E as (Hz & E1 & E2).
    destruct (IH z) as (t & Ht & Hx); auto; try lia.
    { apply (is_anchor_even z (S k)); auto. }
    exists (t ++ [z]). rewrite Ht, app_assoc. auto.
Qed.

Definition bprefix {X} (l l' : list X) : Prop := exists t, l' = l ++ t.

Theorem order_agree D D' x y m k : dag s D -> dag s D' -> acommit D x -> acommit D' y ->
  vr x = 2 * m -> vr y = 2 * k ->
  bprefix (order D 0 m x) (order D' 0 k y) \/ bprefix (order D' 0 k y) (order D 0 m x).
Proof.
  intros HD HD' Cx Cy Ex Ey.
  assert (LT : forall D D' x y m k, dag s D -> dag s D' -> acommit D x -> acommit D' y ->
     vr x = 2 * m -> vr y = 2 * k -> m < k -> bprefix (order D 0 m x) (order D' 0 k y)).
  { clear - LG I. intros D D' x y m k HD HD' Cx Cy Ex Ey Hlt.
    pose proof Cx as (Hx & _ & R & _). pose proof Cy as (Hy & Ay & _ & _).
    destruct (walk_through D D' 0 m x HD HD' Cx Ex ltac:(lia) (k - 1) y) as (t & Ht & Hx'); auto; try lia.
    unfold order in *. rewrite (walk_indep D D' 0 HD HD' (m - 1) x); auto.
    exists (t ++ [y]). rewrite Ht, app_assoc. auto. }
  destruct (lt_eq_lt_dec m k) as [[H|H]|H]; [left; eauto| |right; eauto].
  subst k. pose proof Cx as (Hx & Ax & _ & _). pose proof Cy as (Hy & Ay & _ & _).
  apply (is_anchor_even x m Ex) in Ax. apply (is_anchor_even y m Ey) in Ay.
  assert (x = y) by (apply (cert_unique s); auto; try congruence; [apply (proj1 HD)|apply (proj1 HD')]; auto).
  subst y. left. exists []. rewrite app_nil_r. unfold order. f_equal. apply walk_indep; auto.
Qed.

(* ordering step by step (lastOrdered) gives the same as one walk to the bottom *)
Lemma walk_split D m x : dag s D -> acommit D x -> vr x = 2 * m ->
  forall k y, In y D -> is_anchor y = true -> m <= k -> 2 * k < vr y ->
  walk D 0 k y = order D 0 m x ++ walk D m k y.
Proof.
  intros HD HC Em. assert (0 < m) by (destruct HC as (_ & _ & ? & _); lia).
  induction k as [|k IH]; intros y Hy Ay Hm Hk; [lia|].
  destruct (Nat.eq_dec m (S k)) as [->|Hne].
  - destruct (walk_through D D 0 (S k) x HD HD HC Em ltac:(lia) (S k) y) as (t & Ht & _); auto; try lia.
    assert (Px : path y x).
    { eapply (anchor_reached D D); eauto. unfold is_anchor in Ay. apply andb_true_iff in Ay.
      destruct Ay as [_ Ay]. apply Nat.even_spec in Ay. destruct Ay as [j Ay]. lia. }
    unfold order. replace (S k - 1) with k by lia.
    cbn -[Nat.mul Nat.leb]. rewrite (Nat.leb_refl (S k)), app_nil_r. simpl (S k <=? 0).
    pose proof HC as (Hx & Ax & _ & _). apply (is_anchor_even x (S k) Em) in Ax.
    cbv iota. rewrite (anchor_at_in D (2 * S k) x); auto.
    rewrite (proj2 (pathb_true D y x HD Hy) Px). reflexivity.
  - cbn -[Nat.mul Nat.leb]. simpl (S k <=? 0). cbv iota.
    destruct (S k <=? m) eqn:El; [apply Nat.leb_le in El; lia|].
    destruct (anchor_at D (2 * S k)) as [z|] eqn:E; [|apply IH; auto; lia].
    destruct (pathb y z) eqn:Q; [|apply IH; auto; lia].
    apply anchor_at_spec in E. destruct E as (Hz & E1 & E2).
    rewrite (IH z); auto; try lia; [now rewrite app_assoc|]. apply (is_anchor_even z (S k)); auto.
Qed.
Theorem order_incremental D x y m k : dag s D -> acommit D x -> acommit D y ->
  vr x = 2 * m -> vr y = 2 * k -> m < k -> order D 0 k y = order D 0 m x ++ order D m k y.
Proof.
  intros HD Cx Cy Ex Ey Hlt. pose proof Cy as (Hy & Ay & _ & _). unfold order at 1 3.
  rewrite (walk_split D m x HD Cx Ex (k - 1) y); auto; try lia. now rewrite app_assoc.
Qed.
End S.

Theorem bullshark_agreement s D D' x y m k : breach s -> dag s D -> dag s D' ->
  acommit D x -> acommit D' y -> vr x = 2 * m -> vr y = 2 * k ->
  bprefix (order D 0 m x) (order D' 0 k y) \/ bprefix (order D' 0 k y) (order D 0 m x).
Proof. intros HR. apply order_agree. apply breach_inv. auto. Qed.
End B.

(* ---- teeth: n = 4, f = 1, node 3 Byzantine ---- *)
Record brow := mkb { ba : nat; br : nat; bs : option nat; bp : list nat }.
Definition bat (t : list brow) i := nth i t (mkb 99 0 None []).
Definition bt (t : list brow) : Vertices := {| Vtx := nat; veq_dec := Nat.eq_dec;
  va i := ba (bat t i); vr i := br (bat t i); vself i := bs (bat t i); vpar i := bp (bat t i) |}.
Definition bpar d c ch : BParams := {| bN := 4; bw := fun _ => 1; bf := 1; bbyz := fun p => p =? 3;
  bleader := fun r => nth r [0; 0; 1; 0; 3; 0; 2; 0] 0; bq := 3; bd := d; bc := c; bchain := ch |}.
(* two processes with orders that are no prefixes of each other *)
Definition bfork (P : BParams) (V : Vertices) : Prop := exists s D D' x y m k, breach s /\ dag s D /\ dag s D' /\
  acommit D x /\ acommit D' y /\ vr x = 2 * m /\ vr y = 2 * k /\
  ~ bprefix (order D 0 m x) (order D' 0 k y) /\ ~ bprefix (order D' 0 k y) (order D 0 m x).
Theorem no_bfork P V : BLegal P -> ~ bfork P V.
Proof.
  intros HL (s & D & D' & x & y & m & k & H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & H9).
  destruct (bullshark_agreement s D D' x y m k) as [H|H]; auto.
Qed.
(* H i: a correct author signs header i; C i: the correct members vote for it and it is certified *)
Inductive bcmd := H_ (i : nat) | C_ (i : nat).
Definition bscript (t : list brow) (l : list bcmd) : list (@bevent (bt t)) :=
  flat_map (fun e => match e with
    | H_ i => if ba (bat t i) =? 3 then [] else [@BVote (bt t) (ba (bat t i)) i]
    | C_ i => flat_map (fun p => if ba (bat t i) =? p then [] else [@BVote (bt t) p i]) [0; 1; 2] ++
              (if ba (bat t i) =? 3 then [] else [@BVote (bt t) 3 i]) ++ [@BCert (bt t) i]
    end) l.
Definition both (l : list nat) : list bcmd := flat_map (fun i => [H_ i; C_ i]) l.
Definition dagb (P : BParams) (V : Vertices) (s : bstate) (D : list Vtx) : bool :=
  forallb (fun x => vmem x (bcert s) && vvalid x && forallb (fun y => vmem y D) (vedges x)) D.
Lemma dagb_dag P V s D : dagb P V s D = true -> dag s D.
Proof.
  unfold dagb. rewrite forallb_forall. intros H. split.
  - intros x Hx. specialize (H x Hx). rewrite !andb_true_iff, vmem_true in H. tauto.
  - intros x y Hx Hy. specialize (H x Hx). rewrite !andb_true_iff, (forallb_forall _ (vedges x)) in H.
    apply vmem_true. apply H. auto.
Qed.
Definition acommitb (P : BParams) (V : Vertices) D x : bool := vmem x D && is_anchor x && (2 <=? vr x) && (bc <=? avotes D x).
Lemma acommitb_acommit P V D x : acommitb P V D x = true -> acommit D x.
Proof. unfold acommitb, acommit. rewrite !andb_true_iff, vmem_true, !Nat.leb_le. tauto. Qed.
Definition eqv (t : list brow) (u w : @Vtx (bt t)) : bool := Nat.eqb u w.
Definition bforkb (P : BParams) (t : list brow) ids (D D' : list (@Vtx (bt t))) (x y : @Vtx (bt t)) (m k : nat) : bool :=
  match brun (P := P) (VT := bt t) {| bvotes := []; bcert := [] |} (bscript t ids) with
  | Some s => dagb P (bt t) s D && dagb P (bt t) s D' && acommitb P (bt t) D x && acommitb P (bt t) D' y
              && (vr (Vertices := bt t) x =? 2 * m) && (vr (Vertices := bt t) y =? 2 * k)
              && match order (P := P) (VT := bt t) D 0 m x, order (P := P) (VT := bt t) D' 0 k y with
                 | u :: _, w :: _ => negb (@eqv t u w) | _, _ => false end
  | None => false end.
Lemma bforkb_bfork P t ids D D' x y m k : bforkb P t ids D D' x y m k = true -> bfork P (bt t).
Proof.
  unfold bforkb. destruct (brun _ (bscript t ids)) as [s|] eqn:E; [|discriminate].
  rewrite !andb_true_iff, !Nat.eqb_eq. intros [[[[[[H1 H2] H3] H4] H5] H6] H7].
  exists s, D, D', x, y, m, k.
  split; [exists (bscript t ids); exact E|]. split; [apply (dagb_dag P (bt t)); auto|]. split; [apply (dagb_dag P (bt t)); auto|].
  split; [apply acommitb_acommit; auto|]. split; [apply acommitb_acommit; auto|]. split; auto. split; auto.
  destruct (order D 0 m x) as [|u us], (order D' 0 k y) as [|w ws]; try discriminate.
  unfold eqv in H7. apply negb_true_iff, Nat.eqb_neq in H7.
  split; intros [z Hz]; simpl in Hz; injection Hz as Hz _; congruence.
Qed.
(* One late certificate. Vertex 0.3 (id 6) votes for anchor 1.2 and is certified only after 0.4 and 0.5, whose
   self edges go to the latest own vertex certified by then (0.2, then 0.4): the rule taken literally, which does
   not say that an author waits for its certificate. Everything else is as specified (bchain = false alone). *)
Definition T_late : list brow := [
  mkb 0 1 None []; mkb 1 1 None []; mkb 2 1 None [];                           (* 0..2: 0.1 1.1 2.1 *)
  mkb 0 2 (Some 0) []; mkb 1 2 (Some 1) [0; 1; 2]; mkb 2 2 (Some 2) [];        (* 3 0.2, 4 1.2 anchor, 5 2.2 *)
  mkb 0 3 (Some 3) [4]; mkb 1 3 (Some 4) [4]; mkb 2 3 (Some 5) []; mkb 3 3 None [4];  (* 6 0.3, 7 1.3, 8 2.3, 9 3.3 *)
  mkb 0 4 (Some 3) []; mkb 1 4 (Some 7) []; mkb 2 4 (Some 8) [];               (* 10 0.4, 11 1.4, 12 2.4 *)
  mkb 0 5 (Some 10) []; mkb 2 5 (Some 12) []; mkb 3 5 None [];                 (* 13 0.5, 14 2.5, 15 3.5 *)
  mkb 2 6 (Some 14) [13; 14; 15];                                              (* 16 2.6 anchor *)
  mkb 0 7 (Some 13) [16]; mkb 2 7 (Some 16) [16]; mkb 3 7 (Some 15) [16] ].    (* 17..19 *)
Theorem bfork_late : bfork (bpar 3 3 false) (bt T_late).
Proof.
  apply (bforkb_bfork _ _ (both [0;1;2;3;4;5] ++ [H_ 6] ++ both [7;8;9;10;11;12;13;14;15;16;17;18;19] ++ [C_ 6])
    [0;1;2;3;4;5;6;7;9] [0;1;2;3;5;8;10;12;13;14;15;16;17;18;19] 4 16 1 3). vm_compute. reflexivity.
Qed.
(* Anchor not dense (d = 1), and f+1 votes commit (c = 2): forks with the chains in place. *)
Definition T_thin : list brow := [
  mkb 0 1 None []; mkb 1 1 None []; mkb 2 1 None [];
  mkb 0 2 (Some 0) []; mkb 1 2 (Some 1) [0; 1; 2]; mkb 2 2 (Some 2) [];
  mkb 0 3 (Some 3) [4]; mkb 1 3 (Some 4) [4]; mkb 2 3 (Some 5) []; mkb 3 3 None [4];
  mkb 2 5 (Some 8) []; mkb 2 6 (Some 10) [10];                                 (* 10 2.5, 11 2.6 anchor *)
  mkb 0 7 (Some 6) [11]; mkb 2 7 (Some 11) [11]; mkb 3 7 None [11] ].
Theorem bfork_thin : bfork (bpar 1 3 true) (bt T_thin).
Proof.
  apply (bforkb_bfork _ _ (both (seq 0 15)) [0;1;2;3;4;5;6;7;9] [2;5;8;10;11;13;14;12;6;3;0;4;1] 4 11 1 3).
  vm_compute. reflexivity.
Qed.
Definition T_few : list brow := [
  mkb 0 1 None []; mkb 1 1 None []; mkb 2 1 None [];
  mkb 0 2 (Some 0) []; mkb 1 2 (Some 1) [0; 1; 2]; mkb 2 2 (Some 2) [];
  mkb 0 3 (Some 3) []; mkb 1 3 (Some 4) [4]; mkb 2 3 (Some 5) []; mkb 3 3 None [4];
  mkb 0 5 (Some 6) []; mkb 2 5 (Some 8) []; mkb 3 5 None []; mkb 2 6 (Some 11) [10; 11; 12];
  mkb 0 7 (Some 10) [13]; mkb 2 7 (Some 13) [13] ].
Theorem bfork_few : bfork (bpar 3 2 true) (bt T_few).
Proof.
  apply (bforkb_bfork _ _ (both (seq 0 16)) [0;1;2;4;7;9] [0;3;6;2;5;8;10;11;12;13;14;15] 4 13 1 3).
  vm_compute. reflexivity.
Qed.
(* with the wait that run is refused; the rule itself commits: 1.2 directly, then 2.6 whose walk passes it *)
Example late_refused : brun (P := bpar 3 3 true) (VT := bt T_late) {| bvotes := []; bcert := [] |}
  (bscript T_late (both [0;1;2;3;4;5] ++ [H_ 6] ++ both [7;8;9;10])) = None.
Proof. vm_compute. reflexivity. Qed.
Theorem bgood_legal : BLegal (bpar 3 3 true).
Proof. constructor; vm_compute; repeat constructor. Qed.
Definition T_ok : list brow := [
  mkb 0 1 None []; mkb 1 1 None []; mkb 2 1 None [];
  mkb 0 2 (Some 0) []; mkb 1 2 (Some 1) [0; 1; 2]; mkb 2 2 (Some 2) [];
  mkb 0 3 (Some 3) [4]; mkb 1 3 (Some 4) [4]; mkb 2 3 (Some 5) []; mkb 3 3 None [4];
  mkb 0 5 (Some 6) []; mkb 2 5 (Some 8) []; mkb 3 5 None []; mkb 2 6 (Some 11) [10; 11; 12];
  mkb 0 7 (Some 10) [13]; mkb 2 7 (Some 13) [13]; mkb 3 7 None [13] ].
Example bgood : match brun (P := bpar 3 3 true) (VT := bt T_ok) {| bvotes := []; bcert := [] |} (bscript T_ok (both (seq 0 17))) with
  | Some s => dagb (bpar 3 3 true) (bt T_ok) s (seq 0 17) && acommitb (bpar 3 3 true) (bt T_ok) (seq 0 17) 4
              && acommitb (bpar 3 3 true) (bt T_ok) (seq 0 17) 13
  | None => false end = true /\
  order (P := bpar 3 3 true) (VT := bt T_ok) (seq 0 17) 0 3 (13 : @Vtx (bt T_ok)) = [4; 13].
Proof. split; vm_compute; reflexivity. Qed.
Print Assumptions bgood.
Print Assumptions bfork_late.
Print Assumptions bfork_thin.
Print Assumptions bfork_few.
Print Assumptions anchor_reached.
Print Assumptions bullshark_agreement.
Print Assumptions order_incremental.
