(* Liveness after GST, for the timed runs of LiveModel.v: rounds stay together (spread_in), a round ends (moves_on), and the
   slot of a correct leader commits everywhere (commits_within), by the relation `decided` of Model.v. *)
From Coq Require Import List Arith Lia Bool.
Import ListNotations.
Require Import Weight Model Proof LiveModel LiveTotal.

Section Live.
Context {P : Params} {BT : Blocks} {LG : Legal P} {TM : Timing} {CK : Clocked TM} {LV : Live TM}.

(* ---------- weights ---------- *)
Lemma wsum_parts (A : nat -> bool) k :
  wsum wt A k <= wsum wt byz k + wsum wt (fun x => negb (byz x) && A x) k.
Proof. induction k as [|k IH]; simpl; [lia|]. destruct (A k), (byz k); simpl; lia. Qed.
Lemma correct_weight : total <= f + wsum wt (fun x => negb (byz x)) N.
Proof.
  unfold total. pose proof (wsum_parts (fun _ => true) N) as H. pose proof byz_le.
  assert (wsum wt (fun x => negb (byz x) && true) N <= wsum wt (fun x => negb (byz x)) N).
  { apply wsum_mono. intros x _. now rewrite andb_true_r. } lia.
Qed.
Lemma live_weights :
  v + f <= total /\ c + f <= total /\ m + f <= total /\ d <= m /\ f + f + 1 <= m.
Proof.
  pose proof Llive as H. unfold law_live in H. pose proof Lcomplete as H'. unfold law_complete in H'.
  rewrite !andb_true_iff, !Nat.leb_le in *. tauto.
Qed.
(* what every correct node has a block for reaches total - f *)
Lemma all_correct_reach X q : (forall p, correct p -> has X q p = true) -> total <= f + wgt X q.
Proof.
  intros H. pose proof correct_weight.
  assert (wsum wt (fun x => negb (byz x)) N <= wgt X q); [|lia].
  apply wsum_mono. intros x Hx Hz. apply H. split; auto. now apply negb_true_iff.
Qed.

Lemma begun_all s k : (forall p, correct p -> entered s p k = true) -> begun s k = true.
Proof.
  intros H. unfold begun. apply Nat.leb_le. pose proof correct_weight. pose proof live_weights.
  assert (wsum wt (fun x => negb (byz x)) N <= wsum wt (fun p => negb (byz p) && entered s p k) N); [|lia].
  apply wsum_mono. intros x Hx Hz. rewrite Hz. simpl. apply H. split; auto. now apply negb_true_iff.
Qed.
Lemma begun_some s k : begun s k = true -> exists p, correct p /\ entered s p k = true.
Proof.
  unfold begun. rewrite Nat.leb_le. intros H.
  destruct (wsum_pick wt (fun _ => false) (fun p => negb (byz p) && entered s p k) N) as (x & Hx & H1 & _).
  - assert (Z : forall j, wsum wt (fun _ => false) j = 0). { intros j. induction j as [|j IH]; [reflexivity|]. simpl. exact IH. }
    rewrite Z. lia.
  - rewrite andb_true_iff, negb_true_iff in H1. exists x. unfold correct. tauto.
Qed.
Lemma complete_begun i p k : i <= len -> 1 <= k -> complete (after i) p k = true -> begun (after i) k = true.
Proof.
  intros Hi Hk H. unfold complete in H. rewrite (proj2 (Nat.eqb_neq k 0)) in H by lia. simpl in H.
  apply Nat.leb_le in H. unfold begun. apply Nat.leb_le. pose proof live_weights. pose proof byz_le.
  unfold wgt in H. pose proof (wsum_parts (has (acc (after i) p) (counts k)) N).
  assert (wsum wt (fun x => negb (byz x) && has (acc (after i) p) (counts k) x) N
          <= wsum wt (fun p => negb (byz p) && entered (after i) p k) N); [|lia].
  apply wsum_mono. intros x _. rewrite !andb_true_iff. intros [Hz Hh]. split; auto.
  apply has_true in Hh. destruct Hh as (B & I & HA & HC). unfold counts in HC. apply andb_true_iff in HC.
  apply entered_true; auto. exists B. destruct (accepted i p B Hi I) as (J & _).
  destruct HC as [HC _]. apply Nat.eqb_eq in HC. auto.
Qed.
Lemma begins_by k t : begun (at_ t) k = true -> exists E, E <= t /\ begins k E.
Proof.
  induction t as [t IH] using lt_wf_ind. intros H.
  destruct (existsb (fun t' => begun (at_ t') k) (seq 0 t)) eqn:EX.
  - apply existsb_exists in EX. destruct EX as (t' & I & HB). apply in_seq in I.
    destruct (IH t' ltac:(lia) HB) as (E & HE & H'). exists E. split; [lia|auto].
  - exists t. split; auto. split; auto. intros t' HB. destruct (le_lt_dec t t') as [|L]; auto.
    assert (existsb (fun t' => begun (at_ t') k) (seq 0 t) = true); [|congruence].
    apply existsb_exists. exists t'. rewrite in_seq. split; [lia|auto].
Qed.
Lemma begun_mono s s' k : grows s s' -> begun s k = true -> begun s' k = true.
Proof.
  intros G. unfold begun. rewrite !Nat.leb_le. intros H. etransitivity; [exact H|].
  apply wsum_mono. intros x _. rewrite !andb_true_iff. intros [? ?]. split; auto. eapply entered_mono; eauto.
Qed.
(* the first step at which a round is complete is not before it begins *)
Lemma complete_after_begin j p k E : j < len -> 1 <= k -> begins k E ->
  complete (after (S j)) p k = true -> E <= time j.
Proof.
  intros Hj Hk [_ HE] H. apply HE. eapply begun_mono; [apply (after_at (time j) j); lia|].
  eapply complete_begun; eauto.
Qed.
Lemma begins_mono k E E' : 1 <= k -> begins k E -> begins (S k) E' -> E <= E'.
Proof.
  intros Hk [_ H] [HB' _]. apply H. unfold begun in *. rewrite !Nat.leb_le in *.
  etransitivity; [exact HB'|]. apply wsum_mono. intros x Hx. rewrite !andb_true_iff, negb_true_iff. intros [Hz He].
  split; auto. apply entered_before; auto; [apply upto_len|split; auto].
Qed.
(* who signs a block of round k + 1 does so after round k began *)
Lemma signed_after_begin i B k E : i < len -> signs i B = true -> round B = S k -> 1 <= k -> begins k E -> E <= time i.
Proof.
  intros Hi HS HR Hk HB. pose proof (all_signed_elim _ i B Lleave Hi HS) as H. simpl in H.
  rewrite HR in H. replace (S k - 1) with k in H by lia. rewrite (proj2 (Nat.eqb_neq k 0)) in H by lia.
  simpl in H. apply andb_true_iff in H. destruct H as [H _].
  apply (proj2 HB). eapply begun_mono; [apply (after_at (time i) i); lia|].
  eapply begun_mono; [apply (grow i (S i)); lia|]. eapply complete_begun; eauto. lia.
Qed.

(* ---------- the blocks of correct nodes ---------- *)
Lemma pushed i B x : i < len -> signs i B = true -> correct x -> GST <= time i -> time i + Delta <= hz ->
  In B (hld (at_ (time i + Delta)) x).
Proof.
  intros Hi HS Cx Ht Hz. pose proof (all_signed_elim _ i B Lpush Hi HS) as H.
  simpl in H. apply andb_true_iff in H. destruct H as [_ H]. due H ltac:(apply and_intro; apply Nat.leb_le; lia).
  apply memb_true. eapply all_nodes_elim in H; eauto.
Qed.
Lemma owns i B : i < len -> signs i B = true -> In B (acc (at_ (time i)) (author B)).
Proof.
  intros Hi HS. apply memb_true. pose proof (all_signed_elim _ i B Lpush Hi HS) as H. simpl in H.
  apply andb_true_iff in H. apply H.
Qed.
(* the block with which correct p entered round k *)
Lemma entry t p k : correct p -> 1 <= k -> entered (at_ t) p k = true ->
  exists i B, i < len /\ signs i B = true /\ author B = p /\ round B = k /\ time i <= t /\ In B (acc (at_ t) p).
Proof.
  intros Cp Hk H. apply entered_true in H; auto. destruct H as (B & I & HA & HR). subst p.
  destruct (signed_at _ B (upto_len t) Cp I) as (i & Hi & HS). pose proof (upto_len t).
  exists i, B. pose proof (upto_out t i Hi). repeat split; auto; [lia|].
  apply (g_acc _ _ (at_grows (time i) t ltac:(lia))). apply owns; auto. lia.
Qed.
(* who accepted a block of a correct node accepted all its blocks before, down to the floor *)
Lemma chain i x B B' : i <= len -> correct (author B) -> In B (acc (after i) x) -> In B' (net (after i)) ->
  author B = author B' -> round B' <= round B -> flr (after i) x < round B' -> In B' (acc (after i) x).
Proof.
  intros Hi CB I I' HA HR HF. destruct (accepted i x B Hi I) as (IN & _). destruct (ok i Hi) as [OK VV].
  destruct (Nat.eq_dec (round B') (round B)) as [E|E].
  - assert (B = B') by (apply (same_block i); auto). now subst.
  - assert (Hh : hist (round B') B B') by (apply (chained _ OK); auto; [apply CB|lia]).
    exact (view_hist (net (after i)) (view_of (after i) x) _ B B' (VV x) HF I Hh).
Qed.

(* ---------- rounds stay together ---------- *)
(* E: when f + 1 correct nodes are in round r; E0: the same of the round before, after GST *)
Theorem spread_in r E E0 : 2 <= r <= slot + 2 -> begins (r - 1) E0 -> GST <= E0 -> begins r E -> E + spread <= hz ->
  forall x, correct x -> entered (at_ (E + spread)) x r = true.
Proof.
  intros Hr B0 HG [HB HE] HZ x Cx. unfold spread in *.
  set (t1 := E + Delta). set (t3 := E + (Delta + fetch + owed)) in *.
  assert (HGE : GST <= E).
  { pose proof (begins_mono (r - 1) E0 E ltac:(lia) B0) as X.
    replace (S (r - 1)) with r in X by lia. specialize (X (conj HB HE)). lia. }
  (* blocks of round r by f + 1 correct nodes are here at t1, and accepted or below the floor at t3 *)
  assert (Come : forall p, correct p -> entered (at_ E) p r = true -> exists B, correct (author B) /\ author B = p /\
            round B = r /\ In B (hld (at_ t1) x) /\ In B (acc (at_ E) p) /\ settled (at_ t3) x B = true).
  { intros p Cp Hp. destruct (entry E p r Cp ltac:(lia) Hp) as (i & B & Hi & HS & HA & HR & Hti & Hac).
    assert (E0 <= time i) by (apply (signed_after_begin i B (r - 1)); auto; lia).
    assert (Hh : In B (hld (at_ t1) x)).
    { apply (g_hld _ _ (at_grows (time i + Delta) t1 ltac:(unfold t1; lia))). apply pushed; auto; lia. }
    exists B. repeat split; auto; try (rewrite HA; apply Cp).
    eapply settled_mono; [apply (at_grows (t1 + owed)); unfold t1, t3; lia|].
    apply (accepts_within t1 x p B); auto; try (unfold t1; lia).
    apply (g_acc _ _ (at_grows E t1 ltac:(unfold t1; lia))). auto. }
  assert (Go : forall k, k <= r -> entered (at_ t3) x k = true); [|apply Go; lia].
  induction k as [|k IH]; intros Hk; [reflexivity|]. specialize (IH ltac:(lia)).
  destruct (entered (at_ t3) x (S k)) eqn:EK; auto. exfalso.
  assert (HF : flr (at_ t3) x < S k).
  { apply low_floor; auto; [apply upto_len|lia|].
    destruct (entered (after (upto t3)) x (S k + 2)) eqn:EE; auto.
    rewrite <- EK. symmetry. eapply (entered_down (upto t3) x); [apply upto_len|exact Cx| |exact EE]. lia. }
  assert (HFk : 1 <= k -> flr (at_ t3) x < k).
  { intros Hk1. apply low_floor; auto; [apply upto_len|lia|].
    destruct (entered (after (upto t3)) x (k + 2)) eqn:EE; auto.
    rewrite <- EK. symmetry. eapply (entered_down (upto t3) x); [apply upto_len|exact Cx| |exact EE]. lia. }
  (* f + 1 left round k *)
  assert (HL : exit_left (at_ t3) x k = true).
  { unfold exit_left. apply Nat.leb_le. unfold begun in HB. apply Nat.leb_le in HB.
    etransitivity; [exact HB|]. apply wsum_mono. intros p Hp. rewrite andb_true_iff, negb_true_iff. intros [Hz He].
    destruct (Come p (conj Hp Hz) He) as (B & CB & HA & HR & _ & _ & HS).
    apply settled_true in HS. destruct HS as [HS|HS].
    { exfalso. assert (entered (at_ t3) x (S k) = true); [|congruence].
      destruct (le_lt_dec (flr (at_ t3) x) k); lia. }
    assert (He' : entered (at_ t3) p (S k) = true).
    { eapply entered_mono; [apply (at_grows E t3); unfold t3; lia|].
      eapply entered_down; [apply upto_len|exact (conj Hp Hz)| |exact He]. lia. }
    apply entered_true in He'; [|lia]. destruct He' as (B' & I' & HA' & HR').
    apply has_true. exists B'. rewrite Nat.eqb_eq. repeat split; auto; [|lia].
    apply (chain (upto t3) x B B'); auto; [apply upto_len|congruence|lia|]. fold (at_ t3). lia. }
  (* and what completed it for one of them is fetched *)
  assert (HC : complete (at_ t3) x k = true).
  { destruct (Nat.eq_dec k 0) as [->|Hk0]; [reflexivity|]. specialize (HFk ltac:(lia)).
    destruct (begun_some _ _ HB) as (p & Cp & Hp). destruct (Come p Cp Hp) as (Bp & _ & HAp & HRp & Hhp & _ & _).
    assert (Hp' : entered (at_ E) p (S k) = true) by (eapply entered_down; [apply upto_len|exact Cp| |exact Hp]; lia).
    destruct (entry E p (S k) Cp ltac:(lia) Hp') as (i & B & Hi & HS & HA & HR & Hti & _).
    pose proof (all_signed_elim _ i B Lleave Hi HS) as H. simpl in H. rewrite HR, HA in H.
    replace (S k - 1) with k in H by lia. rewrite (proj2 (Nat.eqb_neq k 0)) in H by lia. simpl in H.
    apply andb_true_iff in H. destruct H as [H _].
    unfold complete in *. rewrite (proj2 (Nat.eqb_neq k 0)) in * by lia. simpl in *. apply Nat.leb_le in H.
    apply Nat.leb_le. etransitivity; [exact H|]. apply wsum_mono. intros q _. rewrite !has_true.
    intros (Q & IQ & HAQ & HCQ). exists Q. repeat split; auto.
    assert (HRQ : round Q = k) by (unfold counts in HCQ; rewrite andb_true_iff, Nat.eqb_eq in HCQ; apply HCQ).
    assert (IQ1 : In Q (acc (at_ t1) p)).
    { apply (g_acc _ _ (at_grows (time i) t1 ltac:(unfold t1; lia))).
      apply (g_acc _ _ (after_at (time i) i Hi (le_n _))). apply (g_acc _ _ (grow i (S i) ltac:(lia) Hi)). auto. }
    assert (NE : entered (at_ t1) x (S k) = false).
    { destruct (entered (at_ t1) x (S k)) eqn:EE; auto. rewrite <- EK. symmetry.
      eapply entered_mono; [apply (at_grows t1 t3); unfold t1, t3; lia|exact EE]. }
    (* x asks for the round *)
    assert (HQ : In Q (hld (at_ (t1 + fetch)) x) \/ round Q <= flr (at_ (t1 + fetch)) x).
    { pose proof Lfetch as HL'. unfold law_fetch in HL'. eapply all_times_elim with (t := t1) in HL'; [|unfold t1; lia].
      eapply all_nodes_elim in HL'; [|exact Cx]. eapply all_nodes_elim in HL'; [|exact Cp].
      destruct (accepted (upto t1) p Q) as (IN & _); [apply upto_len|exact IQ1|].
      eapply all_blocks_elim in HL'; [|eapply in_run; [apply upto_len|exact IN]].
      cbv beta in HL'. match type of HL' with imp ?a _ = true => assert (HG' : a = true) end.
      - repeat apply both_intro; try (apply Nat.leb_le; unfold t1; lia).
        + now apply memb_true.
        + now rewrite HRQ, NE.
        + apply has_true. exists Bp. rewrite HRQ, Nat.ltb_lt. repeat split; auto. lia.
        + apply Nat.leb_le. unfold begun in HB. apply Nat.leb_le in HB. etransitivity; [exact HB|].
          apply wsum_mono. intros y Hy. rewrite andb_true_iff, negb_true_iff. intros [Hz He].
          destruct (Come y (conj Hy Hz) He) as (By & _ & HAy & HRy & Hhy & _).
          apply has_true. exists By. rewrite HRQ, Nat.ltb_lt. repeat split; auto. lia.
      - apply (imp_elim _ _ HL') in HG'. apply orb_true_iff in HG'. now rewrite memb_true, Nat.leb_le in HG'. }
    pose proof (g_flr _ _ (at_grows (t1 + fetch) t3 ltac:(unfold t1, t3; lia)) x) as GF.
    destruct HQ as [HQ|HQ]; [|lia].
    assert (HS' : settled (at_ t3) x Q = true).
    { replace t3 with (t1 + fetch + owed) by (unfold t1, t3; lia). apply (accepts_within _ x p Q); auto; try (unfold t1; lia).
      apply (g_acc _ _ (at_grows t1 (t1 + fetch) ltac:(lia))). auto. }
    apply settled_true in HS'. destruct HS' as [HS'|HS']; [lia|auto]. }
  pose proof Lmove as HM. unfold law_move in HM. eapply all_times_elim with (t := t3) in HM; [|lia].
  eapply all_nodes_elim in HM; [|exact Cx]. eapply below_elim with (k := k) in HM; [|lia].
  assert (HM' : beyond (at_ t3) x k = true); [|apply (beyond_entered (upto t3)) in HM'; auto using upto_len; fold (at_ t3) in HM'; congruence].
  destruct (beyond (at_ t3) x k) eqn:EB; [reflexivity|]. apply (imp_elim _ _ HM).
  rewrite (proj2 (Nat.leb_le GST t3)) by (unfold t3; lia). rewrite IH, HC, HL. reflexivity.
Qed.

(* ---------- a round ends ---------- *)
Lemma complete_mono s s' p k : grows s s' -> complete s p k = true -> complete s' p k = true.
Proof.
  intros G. unfold complete. rewrite !orb_true_iff, !Nat.leb_le. intros [H|H]; [now left|right].
  etransitivity; [exact H|]. apply wgt_mono; auto. apply (g_acc _ _ G).
Qed.
Lemma waited x : correct x -> heard < wait x slot /\ heard < wait x (slot + 1)
  /\ wait x slot <= longest /\ wait x (slot + 1) <= longest.
Proof.
  intros Cx. pose proof Lwait as H. unfold law_wait in H. eapply all_nodes_elim in H; [|exact Cx].
  rewrite !andb_true_iff, !Nat.leb_le in H. pose proof Lpatience as HP. unfold law_patience in HP.
  apply Nat.ltb_lt in HP. lia.
Qed.
(* whoever leads: the time-out is the longest that a round lasts *)
Theorem moves_on k E E0 : 2 <= k -> k = slot \/ k = slot + 1 -> begins (k - 1) E0 -> GST <= E0 -> begins k E ->
  E + lasts <= hz -> forall x, correct x -> entered (at_ (E + lasts)) x (S k) = true.
Proof.
  intros Hk Hs B0 HG HB HZ x Cx. unfold lasts, heard in *.
  set (t1 := E + (spread + Delta + owed)). set (t2 := E + (spread + Delta + owed + longest)) in *.
  assert (HGE : GST <= E).
  { pose proof (begins_mono (k - 1) E0 E ltac:(lia) B0) as X. replace (S (k - 1)) with k in X by lia. specialize (X HB). lia. }
  assert (All : forall z, correct z -> entered (at_ (E + spread)) z k = true).
  { apply (spread_in k E E0); auto; lia. }
  assert (G : grows (at_ t1) (at_ t2)) by (apply at_grows; unfold t1, t2; lia).
  destruct (entered (at_ t1) x (S k)) eqn:EK; [eapply entered_mono; [exact G|exact EK]|].
  assert (HF : flr (at_ t1) x < k).
  { apply low_floor; auto; [apply upto_len|lia|]. destruct (entered (after (upto t1)) x (k + 2)) eqn:EE; auto.
    rewrite <- EK. symmetry. eapply (entered_down (upto t1) x); [apply upto_len|exact Cx| |exact EE]. lia. }
  assert (HC : complete (at_ t1) x k = true).
  { unfold complete. rewrite (proj2 (Nat.eqb_neq k 0)) by lia. simpl. apply Nat.leb_le.
    pose proof live_weights. assert (total <= f + wgt (acc (at_ t1) x) (counts k)); [|lia].
    apply all_correct_reach. intros z Cz.
    destruct (entry _ z k Cz ltac:(lia) (All z Cz)) as (i & B & Hi & HS & HA & HR & Hti & Iac).
    assert (E0 <= time i) by (apply (signed_after_begin i B (k - 1)); auto; lia).
    apply has_true. exists B. repeat split; auto.
    - assert (HSt : settled (at_ t1) x B = true).
      { replace t1 with (E + spread + Delta + owed) by (unfold t1; lia). apply (accepts_within _ x z B); auto; try lia.
        - apply (g_hld _ _ (at_grows (time i + Delta) (E + spread + Delta) ltac:(lia))). apply pushed; auto; lia.
        - apply (g_acc _ _ (at_grows (E + spread) (E + spread + Delta) ltac:(lia))). auto. }
      apply settled_true in HSt. destruct HSt as [HSt|HSt]; [lia|auto].
    - unfold counts. rewrite HR, Nat.eqb_refl, HA. simpl.
      pose proof Lhonest as H'. unfold law_honest in H'. eapply all_nodes_elim in H'; [exact H'|exact Cz]. }
  pose proof (entered_mono (at_ (E + spread)) (at_ t1) x k ltac:(apply at_grows; unfold t1; lia) (All x Cx)) as He.
  pose proof Lmove as HM. unfold law_move in HM. eapply all_times_elim with (t := t2) in HM; [|lia].
  eapply all_nodes_elim in HM; [|exact Cx]. eapply below_elim with (k := k) in HM; [|lia].
  apply (beyond_entered (upto t2)); auto; [apply upto_len|].
  fold (at_ t2). destruct (beyond (at_ t2) x k) eqn:EB; [reflexivity|]. apply (imp_elim _ _ HM).
  rewrite (proj2 (Nat.leb_le GST t2)) by (unfold t2; lia).
  rewrite (entered_mono _ _ x k G He), (complete_mono _ _ x k G HC). simpl. destruct (exit_left (at_ t2) x k); [reflexivity|].
  unfold exit_time. apply existsb_exists.
  assert (HU : 1 <= upto t1).
  { destruct (upto t1) eqn:EU; [|lia]. apply entered_true in He; [|lia]. destruct He as (B & I & _).
    unfold at_ in I. rewrite EU, starts in I. destruct I. }
  exists (upto t1 - 1). rewrite in_seq. pose proof (upto_mono t1 t2 ltac:(unfold t1, t2; lia)).
  replace (S (upto t1 - 1)) with (upto t1) by lia. fold (at_ t1). rewrite He, HC. split; [lia|].
  rewrite !andb_true_r. apply Nat.leb_le. pose proof (upto_out t1 (upto t1 - 1) ltac:(lia)).
  pose proof (waited x Cx) as (_ & _ & W1 & W2). destruct Hs as [-> | ->]; unfold t1, t2 in *; lia.
Qed.

(* ---------- the slot of a correct leader ---------- *)
Section Slot.
Variables (E0 E l : nat).
Hypothesis Hr : 2 <= slot.
Hypothesis B0 : begins (slot - 1) E0.
Hypothesis HG : GST <= E0.
Hypothesis HB : begins slot E.
Hypothesis HZ : E + commits <= hz.
Hypothesis Cl : correct l.
Hypothesis Hl : expects l slot = l.

Lemma all_expect x : correct x -> expects x slot = l.
Proof.
  intros Cx. pose proof Lsame as H. unfold law_same in H. eapply all_nodes_elim in H; [|exact Cx].
  eapply all_nodes_elim in H; [|exact Cl]. apply Nat.eqb_eq in H. congruence.
Qed.
Lemma bounds : spread + Delta + owed = heard /\ heard + longest = lasts /\ E + lasts + lasts + Delta <= hz.
Proof. unfold lasts, heard, commits in *. unfold lasts, heard in HZ. lia. Qed.
Lemma after_gst : GST <= E.
Proof.
  pose proof (begins_mono (slot - 1) E0 E ltac:(lia) B0) as X. replace (S (slot - 1)) with slot in X by lia.
  specialize (X HB). lia.
Qed.

(* the leader's block; there is one, since it is correct *)
Definition is_leader (L : Blk) : Prop := author L = l /\ round L = slot /\ In L (net (after len)).
Lemma unique_leader L L' : is_leader L -> is_leader L' -> L = L'.
Proof. intros (A1 & R1 & I1) (A2 & R2 & I2). apply (same_block len); auto; congruence. Qed.
Lemma leader_dense L : is_leader L -> dense L = true.
Proof.
  intros (HA & HR & I). destruct (signed_at len L (le_n _)) as (i & Hi & HS); auto; [now rewrite HA|].
  pose proof (all_signed_elim _ i L Ldense Hi HS) as H.
  due H ltac:(apply and_intro; [rewrite HA, HR, Hl; apply Nat.eqb_refl|apply Nat.leb_le; lia]).
  pose proof (all_signed_elim _ i L Lleave Hi HS) as HL. simpl in HL. rewrite HR in HL.
  rewrite (proj2 (Nat.eqb_neq (slot - 1) 0)) in HL by lia. simpl in HL. apply andb_true_iff in HL. destruct HL as [HL _].
  unfold complete in HL. rewrite (proj2 (Nat.eqb_neq (slot - 1) 0)) in HL by lia. simpl in HL. apply Nat.leb_le in HL.
  unfold dense. apply Nat.leb_le. pose proof live_weights.
  assert (wgt (acc (after i) (author L)) (counts (slot - 1)) <= wgt (parents L) (fun Q => round Q + 1 =? round L)); [|lia].
  apply wsum_mono. intros q Hq Hh. apply (below_elim _ _ _ q) in H; [|lia]. rewrite HR in *.
  eapply imp_elim; [exact H|exact Hh].
Qed.
Lemma leader_is_led i x L : i <= len -> correct x -> is_leader L -> In L (acc (after i) x) -> led (after i) x slot L = true.
Proof.
  intros Hi Cx HL I. pose proof (leader_dense L HL) as HD. destruct HL as (HA & HR & _). unfold led.
  rewrite (proj2 (memb_true _ _) I), HR, HA, (all_expect x Cx), !Nat.eqb_refl, HD, orb_true_r. reflexivity.
Qed.
Lemma led_is_leader i x L : i <= len -> correct x -> led (after i) x slot L = true -> is_leader L /\ In L (acc (after i) x).
Proof.
  intros Hi Cx H. unfold led in H. rewrite !andb_true_iff, memb_true, !Nat.eqb_eq, (all_expect x Cx) in H.
  destruct H as [[[I HR] HA] _]. repeat split; auto. destruct (accepted i x L Hi I) as (IN & _).
  eapply in_run; [exact Hi|exact IN].
Qed.
Theorem leader_heard : exists L, is_leader L /\ forall x, correct x -> settled (at_ (E + heard)) x L = true.
Proof.
  pose proof bounds as (BH & BL & BZ). pose proof after_gst.
  pose proof (spread_in slot E E0 ltac:(lia) B0 HG HB ltac:(lia) l Cl) as He.
  destruct (entry _ l slot Cl ltac:(lia) He) as (i & L & Hi & HS & HA & HR & Hti & Iac).
  exists L. split.
  { repeat split; auto. destruct (signs_inv i L HS) as (_ & I & _). eapply (in_run (S i)); eauto. }
  intros x Cx.
  assert (Hgi : E0 <= time i) by (apply (signed_after_begin i L (slot - 1)); auto; lia).
  eapply settled_mono; [apply (at_grows (E + spread + Delta + owed)); lia|].
  apply (accepts_within _ x l L); auto; try lia.
  - apply (g_hld _ _ (at_grows (time i + Delta) (E + spread + Delta) ltac:(lia))). apply pushed; auto; lia.
  - apply (g_acc _ _ (at_grows (E + spread) (E + spread + Delta) ltac:(lia))). auto.
Qed.

(* a correct node that signs in round k + 1, k near the slot, has a floor below *)
Lemma floor_at i B k : i < len -> signs i B = true -> round B = k + 1 -> 1 <= k <= slot + 2 ->
  1 <= k - 1 -> flr (after i) (author B) < k - 1.
Proof.
  intros Hi HS HR Hk Hk1. destruct (signs_inv i B HS) as (CB & I' & NI).
  apply low_floor; auto; [lia|lia|]. replace (k - 1 + 2) with (k + 1) by lia.
  destruct (entered (after i) (author B) (k + 1)) eqn:EE; auto. exfalso. apply NI.
  apply entered_true in EE; [|lia]. destruct EE as (B' & J & HA' & HR').
  assert (B' = B); [|now subst].
  apply (same_block (S i)); auto; try congruence; try (now rewrite HA').
  apply (g_net _ _ (grow i (S i) ltac:(lia) Hi)). auto.
Qed.
Lemma exit_time_inv i now p k : i <= len -> exit_time i now p k = true ->
  exists j, j < i /\ time j + wait p k <= now /\ complete (after (S j)) p k = true.
Proof.
  intros Hi H. unfold exit_time in H. apply existsb_exists in H. destruct H as (j & I & H).
  rewrite !andb_true_iff, Nat.leb_le in H. apply in_seq in I. exists j. repeat split; try tauto; lia.
Qed.
Lemma some_correct X q : f + 1 <= wgt X q -> exists B, In B X /\ correct (author B) /\ q B = true.
Proof.
  intros H. pose proof byz_le. destruct (wsum_pick wt byz (has X q) N) as (x & Hx & H1 & H2).
  { unfold wgt in H. lia. }
  apply has_true in H1. destruct H1 as (B & ? & <- & ?). exists B. repeat split; auto.
Qed.

Section Leader.
Variable L : Blk.
Hypothesis HL : is_leader L.
Hypothesis Heard : forall x, correct x -> settled (at_ (E + heard)) x L = true.

(* L3 of thresher.md: who leaves the slot's round saw the leader's block. By order of leaving. *)
Theorem all_vote i : forall B, i < len -> signs i B = true -> round B = slot + 1 ->
  vote B = Some L /\ In L (acc (after i) (author B)).
Proof.
  induction i as [i IH] using lt_wf_ind. intros B Hi HS HR.
  destruct (signs_inv i B HS) as (CB & _ & _). set (y := author B) in *.
  assert (Fin : In L (acc (after i) y) -> vote B = Some L /\ In L (acc (after i) y)).
  { intros I. split; auto. pose proof (all_signed_elim _ i B Lvote Hi HS) as H. simpl in H.
    eapply all_blocks_elim with (B := L) in H; [|apply HL].
    due H ltac:(rewrite HR, Nat.add_sub, Nat.eqb_refl, andb_true_r; apply (leader_is_led i y L); auto; lia).
    now apply is_true. }
  apply Fin. pose proof (all_signed_elim _ i B Lleave Hi HS) as H. simpl in H.
  rewrite HR, Nat.add_sub in H. rewrite (proj2 (Nat.eqb_neq slot 0)) in H by lia. simpl in H.
  apply andb_true_iff in H. destruct H as [_ H]. rewrite !orb_true_iff in H. fold y in H.
  assert (HF : flr (after i) y < slot - 1 \/ slot = 1 + 0).
  { destruct (Nat.eq_dec slot 1); [lia|]. left. apply (floor_at i B slot); auto; lia. }
  destruct H as [[H|H]|H].
  - unfold exit_seen in H. apply andb_true_iff in H. destruct H as [H _]. apply existsb_exists in H.
    destruct H as (L' & _ & H). destruct (led_is_leader i y L' ltac:(lia) CB H) as [HL' I].
    now rewrite (unique_leader L L').
  - unfold exit_left in H. apply Nat.leb_le in H. destruct (some_correct _ _ H) as (Bz & I & Cz & HRz).
    apply Nat.eqb_eq in HRz. destruct (accepted i y Bz ltac:(lia) I) as (IN & _ & W & _).
    destruct (signed_at i Bz ltac:(lia) Cz IN) as (j & Hj & HSj).
    destruct (IH j Hj Bz ltac:(lia) HSj HRz) as [HV _].
    eapply wf_edges; [exact W| |destruct HL as (_ & -> & _); lia].
    unfold edges. rewrite HV, !in_app_iff. simpl. auto.
  - destruct (exit_time_inv i (time i) y slot ltac:(lia) H) as (j & Hj & Ht & HC).
    assert (E <= time j) by (apply (complete_after_begin j y slot); auto; lia).
    pose proof (waited y CB). pose proof (Heard y CB) as Hs. apply settled_true in Hs.
    assert (G : grows (at_ (E + heard)) (after i)) by (apply at_after; [lia|apply upto_before; auto; lia]).
    destruct Hs as [Hs|Hs]; [|now apply (g_acc _ _ G)].
    pose proof (g_flr _ _ G y). destruct HL as (_ & HRL & _). lia.
Qed.
Lemma correct_votes i x B : i <= len -> In B (acc (after i) x) \/ In B (hld (after i) x) -> correct (author B) ->
  round B = slot + 1 -> vote B = Some L.
Proof.
  intros Hi I CB HR. assert (IN : In B (net (after i))).
  { destruct I as [I|I]; [destruct (accepted i x B Hi I); auto|now apply (held_in i x)]. }
  destruct (signed_at i B Hi CB IN) as (j & Hj & HS). apply (all_vote j B); auto. lia.
Qed.
(* nobody else is certified in the slot *)
Lemma only_leader i x L' : i <= len -> evidence (hld (after i) x) slot L' = true -> L' = L.
Proof.
  intros Hi H. destruct (ok i Hi) as [OK VV].
  pose proof (P2_evidence_certificate _ _ _ _ OK (held_in i x Hi) H) as HC. unfold certified, votes in HC.
  pose proof A1. pose proof live_weights.
  assert (HW : f + 1 <= wgt (net (after i)) (qvote slot L')) by lia.
  destruct (some_correct _ _ HW) as (B & I & CB & Q). apply qvote_true in Q. destruct Q as [Q1 Q2].
  destruct (signed_at i B Hi CB I) as (j & Hj & HS). destruct (all_vote j B ltac:(lia) HS Q1) as [HV _]. congruence.
Qed.

(* every correct node claims the leader's block; E1: when the round of the votes began *)
Theorem all_claim i : forall B, i < len -> signs i B = true -> round B = slot + 2 -> claim B = Some L.
Proof.
  induction i as [i IH] using lt_wf_ind. intros B Hi HS HR.
  destruct (signs_inv i B HS) as (CB & _ & _). set (y := author B) in *.
  pose proof bounds as (BH & BL & BZ). pose proof after_gst as HGE. pose proof live_weights as (LV1 & LV2 & LV3 & LV4 & LV5).
  assert (HF : flr (after i) y < slot).
  { replace slot with (slot + 1 - 1) by lia. apply (floor_at i B (slot + 1)); auto; lia. }
  assert (Iac : In L (acc (after i) y)).
  { pose proof (all_signed_elim _ i B Lorder Hi HS) as H. simpl in H. replace (round B - 1) with (slot + 1) in H by lia.
    apply entered_true in H; [|lia]. destruct H as (B1 & I1 & HA1 & HR1).
    destruct (signed_at i B1 ltac:(lia) ltac:(rewrite HA1; exact CB) I1) as (j & Hj & HS1).
    destruct (all_vote j B1 ltac:(lia) HS1 HR1) as [_ I]. rewrite HA1 in I.
    apply (g_acc _ _ (grow j i ltac:(lia) ltac:(lia))). exact I. }
  destruct HL as (HAL & HRL & _).
  assert (Fin : evidence (hld (after i) y) slot L = true -> claim B = Some L).
  { intros HE. pose proof (all_signed_elim _ i B Lclaim Hi HS) as H. simpl in H.
    eapply all_blocks_elim with (B := L) in H; [|apply HL].
    fold y in H. due H ltac:(rewrite HRL, HR, Nat.eqb_refl, (proj2 (memb_true _ _) Iac), HE; reflexivity).
    now apply is_true. }
  apply Fin. pose proof (all_signed_elim _ i B Lleave Hi HS) as H. simpl in H.
  replace (round B - 1) with (slot + 1) in H by lia. rewrite (proj2 (Nat.eqb_neq (slot + 1) 0)) in H by lia. simpl in H.
  apply andb_true_iff in H. destruct H as [_ H]. rewrite !orb_true_iff in H. fold y in H. destruct H as [[H|H]|H].
  - unfold exit_seen in H. rewrite (proj2 (Nat.leb_gt (slot + 1) 1)) in H by lia. simpl in H.
    replace (slot + 1 - 1) with slot in H by lia. apply andb_true_iff in H. destruct H as [_ H].
    apply orb_true_iff in H. destruct H as [H|H].
    + unfold certified_here in H. apply existsb_exists in H. destruct H as (L' & _ & H).
      apply andb_true_iff in H. destruct H as [_ H]. rewrite <- (only_leader i y L'); auto. lia.
    + exfalso. unfold impossible in H. rewrite forallb_forall in H.
      destruct (accepted i y L ltac:(lia) Iac) as (IN & _). specialize (H L IN).
      rewrite HRL, Nat.eqb_refl in H. simpl in H. apply Nat.ltb_lt in H.
      assert (wgt (acc (after i) y) (fun B => round B =? slot + 1) <= f + votes (hld (after i) y) slot L); [|lia].
      unfold wgt at 1. pose proof byz_le.
      pose proof (wsum_parts (has (acc (after i) y) (fun B => round B =? slot + 1)) N).
      assert (wsum wt (fun x => negb (byz x) && has (acc (after i) y) (fun B => round B =? slot + 1) x) N
              <= votes (hld (after i) y) slot L); [|lia].
      apply wsum_mono. intros z Hz. rewrite andb_true_iff, negb_true_iff, !has_true.
      intros [Hb (Bz & I & HA & HRz)]. apply Nat.eqb_eq in HRz. exists Bz.
      destruct (accepted i y Bz ltac:(lia) I) as (_ & I' & _). repeat split; auto. apply qvote_true. split; auto.
      apply (correct_votes i y Bz); auto; [lia|]. split; [now rewrite HA|now rewrite HA].
  - unfold exit_left in H. apply Nat.leb_le in H. destruct (some_correct _ _ H) as (Bz & I & Cz & HRz).
    apply Nat.eqb_eq in HRz. destruct (accepted i y Bz ltac:(lia) I) as (IN & _ & _ & HE).
    destruct (signed_at i Bz ltac:(lia) Cz IN) as (j & Hj & HSj).
    pose proof (IH j Hj Bz ltac:(lia) HSj ltac:(lia)) as HC. unfold evid_ok in HE. rewrite HC, HRL in HE.
    rewrite (proj2 (Nat.leb_gt slot _)) in HE by lia. exact HE.
  - destruct (exit_time_inv i (time i) y (slot + 1) ltac:(lia) H) as (j & Hj & Ht & HC).
    pose proof (moves_on slot E E0 Hr (or_introl eq_refl) B0 HG HB ltac:(lia)) as Next.
    destruct (begins_by (S slot) (E + lasts)) as (E1 & HE1 & HB1); [now apply begun_all|].
    replace (S slot) with (slot + 1) in HB1 by lia.
    assert (E1 <= time j) by (apply (complete_after_begin j y (slot + 1)); auto; lia).
    pose proof (waited y CB) as (_ & W & _).
    assert (HBs : begins (slot + 1 - 1) E) by (now replace (slot + 1 - 1) with slot by lia).
    assert (HE1' : E <= E1). { apply (begins_mono slot); auto; [lia|]. now replace (S slot) with (slot + 1) by lia. }
    pose proof (spread_in (slot + 1) E1 E ltac:(lia) HBs HGE HB1 ltac:(lia)) as All.
    unfold evidence. apply orb_true_iff. left. apply Nat.leb_le.
    assert (total <= f + votes (hld (after i) y) slot L); [|lia].
    apply all_correct_reach. intros z Cz.
    destruct (entry _ z (slot + 1) Cz ltac:(lia) (All z Cz)) as (iz & Bz & Hiz & HSz & HAz & HRz & Htz & _).
    assert (E <= time iz) by (apply (signed_after_begin iz Bz slot); auto; lia).
    apply has_true. exists Bz. repeat split; auto.
    + assert (G : grows (at_ (E1 + heard)) (after i)) by (apply at_after; [lia|apply upto_before; auto; lia]).
      apply (g_hld _ _ G). apply (g_hld _ _ (at_grows (time iz + Delta) (E1 + heard) ltac:(lia))). apply pushed; auto; lia.
    + apply qvote_true. split; auto. apply (all_vote iz Bz); auto.
Qed.

Theorem claims_held x t : correct x -> E + commits <= t -> c <= claims (hld (at_ t) x) slot L.
Proof.
  intros Cx Ht. pose proof bounds as (BH & BL & BZ). pose proof after_gst as HGE. pose proof live_weights.
  pose proof (moves_on slot E E0 Hr (or_introl eq_refl) B0 HG HB ltac:(lia)) as Next.
  destruct (begins_by (S slot) (E + lasts)) as (E1 & HE1 & HB1); [now apply begun_all|].
  replace (S slot) with (slot + 1) in HB1 by lia.
  assert (HBs : begins (slot + 1 - 1) E) by (now replace (slot + 1 - 1) with slot by lia).
  assert (HE1' : E <= E1). { apply (begins_mono slot); auto; [lia|]. now replace (S slot) with (slot + 1) by lia. }
  pose proof (moves_on (slot + 1) E1 E ltac:(lia) (or_intror eq_refl) HBs HGE HB1 ltac:(lia)) as Last.
  assert (total <= f + claims (hld (at_ t) x) slot L); [|lia].
  apply all_correct_reach. intros z Cz. specialize (Last z Cz). replace (S (slot + 1)) with (slot + 2) in Last by lia.
  destruct (entry _ z (slot + 2) Cz ltac:(lia) Last) as (iz & Bz & Hiz & HSz & HAz & HRz & Htz & _).
  assert (E1 <= time iz) by (apply (signed_after_begin iz Bz (slot + 1)); auto; lia).
  apply has_true. exists Bz. repeat split; auto.
  - unfold commits, lasts, heard in *. apply (g_hld _ _ (at_grows (time iz + Delta) t ltac:(lia))). apply pushed; auto; lia.
  - apply qclaim_true. split; auto. apply (all_claim iz Bz); auto.
Qed.
End Leader.

(* The slot of a correct leader, both it and the next round waited for, is committed at every correct node, in the sense of
   Model.v, and its block is accepted there, so that it is delivered and serves as an anchor. *)
Theorem commits_within g : (forall B, author B = l -> round B = slot -> g slot B = true) ->
  exists L, is_leader L /\ forall x t, correct x -> E + commits <= t -> flr (at_ t) x < slot ->
    In L (acc (at_ t) x) /\ decided g (view_of (at_ t) x) slot (Commit L).
Proof.
  intros Hg. destruct leader_heard as (L & HL & Heard). exists L. split; auto. intros x t Cx Ht HF.
  pose proof bounds as (BH & BL & BZ). split.
  - pose proof (Heard x Cx) as HS. apply settled_true in HS.
    assert (G : grows (at_ (E + heard)) (at_ t)) by (apply at_grows; unfold commits in Ht; lia).
    destruct HS as [HS|HS]; [|now apply (g_acc _ _ G)]. pose proof (g_flr _ _ G x). destruct HL as (_ & HRL & _). lia.
  - destruct HL as (HA & HR & HI). apply d_commit; auto. apply (claims_held L (conj HA (conj HR HI)) Heard); auto.
Qed.

(* ... and the function that a node computes says so *)
Theorem decides_within g : (forall B, author B = l -> round B = slot -> g slot B = true) ->
  exists L, is_leader L /\ forall x t top, correct x -> E + commits <= t -> flr (at_ t) x < slot -> slot <= top ->
    usable (view_of (at_ t) x) (decide g (view_of (at_ t) x) top slot) = Commit L.
Proof.
  intros Hg. destruct (commits_within g Hg) as (L & HL & HD). exists L. split; auto. intros x t top Cx Ht HF Htop.
  destruct (HD x t Cx Ht HF) as [I D]. set (V := view_of (at_ t) x) in *.
  destruct (ok (upto t) (upto_len t)) as [OK VV]. fold (at_ t) in OK, VV.
  assert (HC : c <= claims (vh V) slot L).
  { destruct leader_heard as (L' & HL' & Heard). rewrite (unique_leader L L' HL HL').
    apply (claims_held L' HL' Heard); auto. }
  assert (E1 : decide g V top slot = Commit L).
  { destruct (dcommit g (vh V) slot) as [L'|] eqn:ED.
    - assert (ED' : decide g V top slot = Commit L').
      { unfold decide, table. replace (S top - slot) with (S (top - slot)) by lia. simpl. unfold decide1.
        rewrite (proj2 (Nat.leb_gt slot (vf V))) by exact HF. unfold direct. now rewrite ED. }
      rewrite ED'. apply (agreement_net (net (at_ t)) OK g V V slot); auto; try apply (VV x).
      eapply decide_sound; [apply (VV x)|exact ED'|discriminate].
    - exfalso. destruct (some_correct (vh V) (qclaim slot L)) as (B & IB & _ & Q).
      { pose proof commit_claim_weight. unfold claims in HC. lia. }
      unfold dcommit in ED. destruct (find _ (vh V)) as [B'|] eqn:EF.
      + apply find_some in EF. destruct EF as [_ EF]. rewrite ED in EF. rewrite andb_false_r in EF. discriminate.
      + apply qclaim_true in Q. destruct Q as [Q1 Q2]. pose proof (find_none _ _ EF B IB) as H. cbv beta in H.
        rewrite Q1, Nat.eqb_refl, Q2 in H. rewrite andb_true_l in H. destruct HL as (HA & HR & _). rewrite (Hg L HA HR) in H.
        apply Nat.leb_le in HC. rewrite HC in H. discriminate. }
  rewrite E1. unfold usable. now rewrite (proj2 (memb_true L (va V)) I).
Qed.
End Slot.
End Live.

Print Assumptions spread_in.
Print Assumptions moves_on.
Print Assumptions leader_heard.
Print Assumptions all_vote.
Print Assumptions all_claim.
Print Assumptions commits_within.
Print Assumptions decides_within.
