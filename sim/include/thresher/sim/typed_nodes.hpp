// The nodes of any subject, as the engine asks for them: all that is typed about a run, and nothing
// else. It is instantiated for each protocol, so whatever needs no type belongs into the World.
//
//   TypedNodes<Mine> nodes(Mine{experiment});
//   World world(nodes, experiment, /*trace=*/nullptr);
//   world.request(NodeId{2}, nodes.question(request), /*at=*/0);
//   nodes.of(NodeId{2});                                // the node, to be looked at
//
// Guarantees: as Nodes. Owns the subject, the nodes and what they say. A member that a subject does
// not have (subject.hpp) is left at what Nodes says of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thresher/core/executor.hpp"
#include "thresher/sim/nodes.hpp"
#include "thresher/sim/slab.hpp"
#include "thresher/sim/world.hpp"

namespace thresher::sim {

/// An output of a node of `S`.
template <Subject S>
class TypedSaid final : public Said {
 public:
  using Output = typename S::Node::Output;

  TypedSaid(const S& subject, const Output& output) : subject_(subject), output_(output) {}
  const Output& output() const { return output_; }

  void payloads(std::optional<NodeId> author, const Visit& visit) const override {
    subject_.payloads(output_, author,
                      [&](ByteView payload, std::optional<NodeId> by) { visit(payload, by); });
  }
  void items(const std::function<void(const Digest&)>& visit) const override {
    if constexpr (requires { subject_.items(output_, [](const Digest&) {}); })
      subject_.items(output_, [&](const Digest& item) { visit(item); });
  }
  void vertices(const std::function<void(const VertexName&)>& visit) const override {
    if constexpr (requires { subject_.vertices(output_, [](const VertexName&) {}); })
      subject_.vertices(output_, [&](const VertexName& name) { visit(name); });
  }
  std::string leader_text() const override {
    if constexpr (requires { subject_.leader_text(output_); }) return subject_.leader_text(output_);
    return {};
  }

 private:
  const S& subject_;
  const Output& output_;
};

template <Subject S>
class TypedNodes : public Nodes {
 public:
  using Node = typename S::Node;
  using Message = typename Node::Message;
  using Output = typename Node::Output;
  using Request = typename Node::Request;
  using Input = InputOf<Node>;

  explicit TypedNodes(S subject) : subject_(std::move(subject)) {}
  TypedNodes(const TypedNodes&) = delete;
  TypedNodes& operator=(const TypedNodes&) = delete;

  const S& subject() const { return subject_; }
  /// The first face of a node.
  const Node& of(NodeId id) const { return node(first_face_[id.value]); }
  static std::shared_ptr<const Question> question(Request request) {
    return std::make_shared<const Asked>(std::move(request));
  }

  Skills skills() const override { return {kForges, kStuffs, kArchives, kWarms, sizeof(Parcel)}; }
  void live_in(World& world) override { world_ = &world; }

  void make(std::uint32_t face, NodeId id) override {
    if (face == hosts_.size()) {
      hosts_.push_back(std::make_unique<Host>(Backend{this, face, id}));
      if (id.value == first_face_.size()) first_face_.push_back(face);
    }
    hosts_[face]->executor.emplace(subject_.make(id), hosts_[face]->backend);
  }
  void hear(std::uint32_t face, const Payload& message) override {
    hosts_[face]->executor->run(parcel(message).input);
  }
  void notice(std::uint32_t face, const Notice& notice) override {
    if (const auto* asked = std::get_if<std::shared_ptr<const Question>>(&notice))
      return hosts_[face]->executor->run(static_cast<const Asked&>(**asked).requested);
    hosts_[face]->executor->run(std::visit(AsInput{}, notice));
  }
  void persisted(std::uint32_t face, std::uint64_t barrier) override {
    hosts_[face]->executor->persisted(barrier);
  }
  std::uint64_t round(std::uint32_t face) const override { return subject_.round(node(face)); }

  void drop(std::uint32_t ref) override {
    parcels_[ref].input.template emplace<Start>();
    parcels_.drop(ref);
  }
  void warm(std::uint32_t face, const Payload& message) const override {
    if constexpr (kWarms) subject_.warm(node(face), message.id, said(message));
  }
  std::string vertex(const Payload& message) const override {
    if constexpr (requires { subject_.vertex(said(message)); })
      return subject_.vertex(said(message));
    return {};
  }
  void archive(NodeId id, const Persist& record) override {
    if constexpr (kArchives) subject_.archive(id, record);
  }
  void lose_archive(NodeId id) override {
    if constexpr (kArchives) subject_.lose_archive(id);
  }

  std::optional<Placed> mutated(NodeId by, const Payload& message, std::string_view field,
                                std::uint64_t salt) override {
    Message changed = said(message);
    if (!subject_.mutate(changed, by, field, salt)) return std::nullopt;
    return place(by, std::move(changed));
  }
  Placed adopted(NodeId by, const Payload& heard) override {
    Message own = said(heard);
    if constexpr (requires { subject_.adopt(own, by); }) subject_.adopt(own, by);
    return place(by, std::move(own));
  }
  bool proposes(const Payload& message) const override {
    if constexpr (kForges) return subject_.proposes(said(message));
    return false;
  }
  std::optional<Placed> hand_out(NodeId by, const Payload& heard) override {
    if constexpr (kForges) {
      if (auto answer = subject_.hand_out(by, said(heard))) return place(by, std::move(*answer));
    }
    return std::nullopt;
  }
  void forge(NodeId by, const FaultAction& action, std::uint64_t mood, std::uint64_t salt,
             const std::function<void(const Forgery&)>& visit) override {
    if constexpr (kForges) {
      for (auto& forged : subject_.forge(by, action, mood, salt))
        visit({place(by, std::move(forged.message)), forged.shown_ppm, forged.audience});
    }
  }
  void stuff(NodeId by, const Payload& heard, std::uint64_t salt,
             const std::function<bool()>& wanted,
             const std::function<void(const Placed&)>& visit) override {
    if constexpr (kStuffs) {
      for (auto& message : subject_.stuff(by, said(heard), salt)) {
        if (!wanted()) return;
        visit(place(by, std::move(message)));
      }
    }
  }

 private:
  static constexpr bool kForges = requires(const S& s, const Message& m) { s.proposes(m); };
  static constexpr bool kStuffs = requires(const S& s, const Message& m) {
    s.stuff(NodeId{}, m, std::uint64_t{});
  };
  static constexpr bool kArchives = requires(S & s, const Persist& p) { s.archive(NodeId{}, p); };
  static constexpr bool kWarms = requires(const S& s, const Node& n, const Message& m) {
    s.warm(n, NodeId{}, m);
  };
  static constexpr bool kNamesVertices = requires(const S& s, const Message& m) { s.born(m); };

  struct Parcel : Payload {
    Input input{Start{}};
  };
  struct Asked final : Question {
    explicit Asked(Request request) : requested{std::move(request)} {}
    Requested<Request> requested;
  };
  struct AsInput {
    Input operator()(const std::shared_ptr<const Question>&) const { return Start{}; }
    template <class Event>
    Input operator()(const Event& event) const {
      return event;
    }
  };
  struct Backend {
    TypedNodes* nodes;
    std::uint32_t face;
    NodeId id;
    void send(NodeId to, Message m) { nodes->send(*this, to, std::move(m)); }
    void broadcast(Message m) { nodes->send(*this, std::nullopt, std::move(m)); }
    void deliver(const Output& o) {
      const S& subject = nodes->subject_;
      nodes->world_->deliver(face, subject.facts_of(o), TypedSaid<S>(subject, o));
    }
    void arm(TimerId timer, Delay after) { nodes->world_->arm(face, timer, after); }
    void cancel(TimerId timer) { nodes->world_->cancel(face, timer); }
    void persist(std::vector<Persist> records, std::uint64_t barrier) {
      nodes->world_->persist(face, std::move(records), barrier);
    }
    void verify(const Verify& v) { nodes->world_->verify(face, v); }
    void verify(const VerifyAll& v) { nodes->world_->verify(face, v); }
    void endorse(const Endorse& e) { nodes->world_->endorse(face, e); }
    void accuse(const Accuse& a) { nodes->world_->accuse(face, a); }
  };
  struct Host {
    explicit Host(Backend b) : backend(b) {}
    Backend backend;
    std::optional<Executor<Node, Backend>> executor;
  };

  static const Parcel& parcel(const Payload& message) {
    return static_cast<const Parcel&>(message);
  }
  static const Message& said(const Payload& message) {
    return std::get<Received<Message>>(parcel(message).input).message;
  }
  const Node& node(std::uint32_t face) const { return hosts_[face]->executor->protocol(); }

  void send(const Backend& by, std::optional<NodeId> to, Message m) {
    if (!world_->awake(by.face)) return;
    if constexpr (kNamesVertices) {
      if (world_->on_born) {
        if (const auto name = subject_.born(m)) world_->on_born(*name);
      }
    }
    world_->send(by.face, to, place(by.id, std::move(m)));
  }
  Placed place(NodeId by, Message m) {
    const MessageFacts facts = subject_.facts_of(m);
    const std::uint32_t ref = parcels_.place();
    Parcel& parcel = parcels_[ref];
    parcel.facts = facts;
    parcel.input.template emplace<Received<Message>>(Received<Message>{by, std::move(m)});
    return {ref, &parcel};
  }

  S subject_;
  World* world_ = nullptr;
  Slab<Parcel> parcels_;
  std::vector<std::unique_ptr<Host>> hosts_;  // by face
  std::vector<std::uint32_t> first_face_;     // by node
};

}  // namespace thresher::sim
