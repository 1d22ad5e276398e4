#include "thresher/coding/reed_solomon.hpp"

#include <isa-l/erasure_code.h>

#include <algorithm>

#include "multiply.hpp"

namespace thresher::coding {

std::vector<std::vector<std::byte>> multiply(std::vector<unsigned char> matrix, unsigned rows,
                                             std::vector<unsigned char*> in, std::size_t size) {
  constexpr std::size_t kTableBytes = 32;  // ISA-L's expanded form of one coefficient
  const int columns = static_cast<int>(in.size());
  std::vector<std::vector<std::byte>> out(rows, std::vector<std::byte>(size));
  if (rows == 0) return out;
  std::vector<unsigned char> tables(kTableBytes * rows * in.size());
  ec_init_tables(columns, static_cast<int>(rows), matrix.data(), tables.data());
  std::vector<unsigned char*> to;
  to.reserve(out.size());
  for (auto& shard : out) to.push_back(reinterpret_cast<unsigned char*>(shard.data()));
  ec_encode_data(static_cast<int>(size), columns, static_cast<int>(rows), tables.data(), in.data(),
                 to.data());
  return out;
}

Result<ReedSolomon, Error> ReedSolomon::make(unsigned data, unsigned total) {
  if (data == 0 || data > total || total > kMaxShards) {
    const std::string sizes = std::to_string(data) + " data shards of " + std::to_string(total);
    return Error{ErrorCode::kRejected,
                 "Reed-Solomon code of " + sizes + ": needs 1 <= data <= total <= " +
                     std::to_string(kMaxShards) + " (one byte numbers a shard)",
                 sizes, "use a smaller committee or send whole payloads"};
  }
  return ReedSolomon(data, total);
}

ReedSolomon::ReedSolomon(unsigned data, unsigned total)
    : data_(data), total_(total), matrix_(std::size_t{data} * total) {
  // A Cauchy matrix: every `data` of its rows can be inverted (a Vandermonde matrix cannot promise
  // it for every size).
  gf_gen_cauchy1_matrix(matrix_.data(), static_cast<int>(total), static_cast<int>(data));
}

std::size_t ReedSolomon::shard_size(std::size_t payload_size) const {
  return std::max<std::size_t>(1, payload_size / data_ + (payload_size % data_ == 0 ? 0 : 1));
}

std::vector<Bytes> ReedSolomon::data_shards(ByteView payload) const {
  const std::size_t size = shard_size(payload.size());
  std::vector<std::byte> padded(size * data_);
  std::ranges::copy(payload, padded.begin());
  const Bytes whole = Bytes::from(std::move(padded));
  std::vector<Bytes> shards;
  shards.reserve(data_);
  for (unsigned i = 0; i < data_; ++i) shards.push_back(whole.slice(i * size, size));
  return shards;
}

std::vector<Bytes> ReedSolomon::encode(ByteView payload) const {
  std::vector<Bytes> shards = data_shards(payload);
  const std::size_t size = shards.front().size();
  std::vector<unsigned char*> in;
  in.reserve(shards.size());
  for (const Bytes& shard : shards) in.push_back(source(shard.view()));
  const auto parity = matrix_.begin() + static_cast<std::ptrdiff_t>(std::size_t{data_} * data_);
  for (auto& shard : multiply({parity, matrix_.end()}, total_ - data_, in, size)) {
    shards.push_back(Bytes::from(std::move(shard)));
  }
  return shards;
}

Bytes ReedSolomon::shard(ByteView payload, unsigned index) const {
  const std::vector<Bytes> shards = data_shards(payload);
  if (index < data_) return Bytes::copy_of(shards[index].view());
  std::vector<unsigned char*> in;
  in.reserve(shards.size());
  for (const Bytes& data : shards) in.push_back(source(data.view()));
  const auto row = matrix_.begin() + static_cast<std::ptrdiff_t>(std::size_t{index} * data_);
  return Bytes::from(multiply({row, row + data_}, 1, in, shards.front().size()).front());
}

Result<Bytes> ReedSolomon::decode(std::span<const Bytes> shards, std::size_t payload_size) const {
  const std::size_t size = shard_size(payload_size);
  if (shards.size() != total_) return Errc::kMalformed;
  std::vector<unsigned char> rows;
  std::vector<unsigned char*> in;
  for (std::size_t i = 0; i < total_; ++i) {
    if (shards[i].empty()) continue;
    if (shards[i].size() != size) return Errc::kMalformed;
    if (in.size() == data_) continue;
    in.push_back(source(shards[i].view()));
    const auto row = matrix_.begin() + static_cast<std::ptrdiff_t>(i * data_);
    rows.insert(rows.end(), row, row + data_);
  }
  if (in.size() < data_) return Errc::kMalformed;
  std::vector<unsigned char> inverse(rows.size());
  if (gf_invert_matrix(rows.data(), inverse.data(), static_cast<int>(data_)) != 0) {
    return Errc::kCorrupt;
  }
  std::vector<std::byte> payload;
  payload.reserve(size * data_);
  for (const auto& shard : multiply(std::move(inverse), data_, in, size)) {
    payload.insert(payload.end(), shard.begin(), shard.end());
  }
  payload.resize(payload_size);
  return Bytes::from(std::move(payload));
}

}  // namespace thresher::coding
