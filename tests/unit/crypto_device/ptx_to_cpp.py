#!/usr/bin/env python3
"""Turns the PTX of the CUDA module into C++, so that what nvcc made of the kernels (inline assembly and
carry flags included) can be run and compared where there is no GPU.

    ptx_to_cpp.py IN.ptx OUT.cpp

Every kernel becomes void NAME(PtxThread* thread, const unsigned char* const* param), which runs
one thread. Instructions mean what the PTX ISA 9.0 manual says; one that is not known here is an error.
"""
import re
import sys

TYPES = {"u16": "uint16_t", "s16": "int16_t", "b16": "uint16_t", "u32": "uint32_t", "s32": "int32_t", "b32": "uint32_t",
         "u64": "uint64_t", "s64": "int64_t", "b64": "uint64_t", "pred": "int"}
REGISTER = {"%p": "int", "%rs": "uint16_t", "%r": "uint32_t", "%rd": "uint64_t"}
COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
BITWISE = {"and": "&", "or": "|", "xor": "^"}

PRELUDE = """#include "ptx_thread.hpp"

#include <cstring>

template <class T, class Address> T load(Address address) {
  T value;
  std::memcpy(&value, (const void*)address, sizeof value);
  return value;
}
template <class T> void store(uint64_t address, T value) { std::memcpy((void*)address, &value, sizeof value); }

#define LOAD(type, address) (load<type>(address))
#define STORE(type, address, x) (store<type>(address, (type)(x)))
#define SHIFT(a, op, n, bits) ((n) >= (bits) ? 0 : (a) op (n))

"""


def name(operand):
    """A register or an immediate as C++ writes it."""
    operand = operand.strip()
    special = {"%tid.x": "thread->tid", "%ctaid.x": "thread->ctaid", "%ntid.x": "thread->ntid"}
    if operand in special:
        return special[operand]
    if operand.startswith("%"):
        return operand[1:].replace(".", "_")
    if re.fullmatch(r"-?\d+", operand):
        return f"(uint64_t){operand}ll" if operand.startswith("-") else f"{operand}ull"
    return operand


def pieces(text):
    """Operands; {a, b} and [c] stay whole."""
    return [p.strip() for p in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+", text)]


def address(operand):
    base, _, offset = operand.strip("[]").partition("+")
    return base, int(offset or 0)


class Kernel:
    def __init__(self, label, body):
        self.label, self.lines, self.registers = label, [], set()
        self.scoped = {register: f"uint{bits}_t" for bits, register in re.findall(r"\.reg \.b(\d+) (%[a-z]+);", body)}

    def use(self, operands):
        for operand in operands:
            for register in re.findall(r"%[a-z]+\d*\b", operand):
                if not register.startswith(("%tid", "%ctaid", "%ntid")):
                    self.registers.add(register)

    def carry(self, op, kind, a):
        """add, sub and mad with the carry flag; products and sums of 32 bits fit 64."""
        d, x, y = a[0], f"(uint64_t)(uint32_t){a[1]}", f"(uint64_t)(uint32_t){a[2]}"
        takes, gives = op[-1] == "c" and op != "c", ".cc" in kind
        flag = "carry" if takes else "0"
        if op.startswith("mad"):
            product = f"({x} * {y})"
            half = f"({product} >> 32)" if ".hi" in kind else f"({product} & 0xffffffffu)"
            total = f"{half} + (uint32_t){a[3]} + {flag}"
        elif op.startswith("add"):
            total = f"{x} + {y} + {flag}"
        else:
            total = f"{x} - {y} - {flag}"
        out = "carry = (uint32_t)(t >> 32) & 1; " if gives else ""
        return f"{{ uint64_t t = {total}; {out}{d} = (uint32_t)t; }}"

    def memory(self, opcode, operands):
        parts = opcode.split(".")
        kind = TYPES[parts[-1]]
        spot, other = (operands[1], operands[0]) if parts[0] == "ld" else (operands[0], operands[1])
        base, offset = address(spot)
        start = f"param[{base.rsplit('_param_', 1)[1]}]" if parts[1] == "param" else name(base)
        registers = [name(r) for r in other.strip("{}").split(",")]
        size = int(re.search(r"\d+", parts[-1])[0]) // 8
        out = []
        for i, register in enumerate(registers):
            place = f"({start} + {offset + i * size})"
            out.append(f"{register} = LOAD({kind}, {place});" if parts[0] == "ld" else
                       f"STORE({kind}, {place}, {register});")
        if parts[0] == "ld":  # the address may be one of the loaded registers
            assert base not in [r.strip() for r in other.strip("{}").split(",")] or len(registers) == 1
        return " ".join(out)

    def plain(self, opcode, a, raw):
        parts = opcode.split(".")
        op, last = parts[0], parts[-1]
        kind = TYPES.get(last)
        bits = int(re.search(r"\d+", last)[0]) if kind and last != "pred" else 1
        cast = f"({kind})"
        if op in BITWISE:
            return f"{a[0]} = {cast}{a[1]} {BITWISE[op]} {cast}{a[2]};"
        if op in ("add", "sub"):
            return f"{a[0]} = {cast}((uint64_t){a[1]} {'+' if op == 'add' else '-'} (uint64_t){a[2]});"
        if op in ("mul", "mad") and parts[1] == "lo":
            rest = f" + (uint64_t){a[3]}" if op == "mad" else ""
            return f"{a[0]} = {cast}((uint64_t){a[1]} * (uint64_t){a[2]}{rest});"
        if op == "mul" and parts[1] == "wide":
            wide = "int64_t" if last[0] == "s" else "uint64_t"
            return f"{a[0]} = (uint64_t)(({wide}){cast}{a[1]} * ({wide}){cast}{a[2]});"
        if op == "shl":
            return f"{a[0]} = SHIFT({cast}{a[1]}, <<, (uint32_t){a[2]}, {bits});"
        if op == "shr":
            if last[0] == "s":
                return f"{a[0]} = {cast}{a[1]} >> ((uint32_t){a[2]} > {bits - 1} ? {bits - 1} : (uint32_t){a[2]});"
            return f"{a[0]} = SHIFT({cast}{a[1]}, >>, (uint32_t){a[2]}, {bits});"
        if op in ("div", "rem"):
            return f"{a[0]} = {cast}{a[1]} {'/' if op == 'div' else '%'} {cast}{a[2]};"
        if op == "not":
            return f"{a[0]} = {cast}~{cast}{a[1]};"
        if op == "setp":
            return f"{a[0]} = {cast}{a[1]} {COMPARE[parts[1]]} {cast}{a[2]};"
        if op == "selp":
            return f"{a[0]} = {a[3]} ? {cast}{a[1]} : {cast}{a[2]};"
        if op == "min":
            return f"{a[0]} = {cast}{a[1]} < {cast}{a[2]} ? {cast}{a[1]} : {cast}{a[2]};"
        if op == "max":
            return f"{a[0]} = {cast}{a[1]} > {cast}{a[2]} ? {cast}{a[1]} : {cast}{a[2]};"
        if op == "abs":
            return f"{a[0]} = {cast}{a[1]} < 0 ? 0 - (uint32_t){a[1]} : (uint32_t){a[1]};"
        if op == "cvt":
            return f"{a[0]} = ({TYPES[parts[1]]})({TYPES[parts[2]]}){a[1]};"
        if op == "cvta":
            return f"{a[0]} = {a[1]};"
        if op == "prmt":
            return f"{a[0]} = ptx_prmt((uint32_t){a[1]}, (uint32_t){a[2]}, (uint32_t){a[3]});"
        if op == "shf" and parts[2] == "wrap":
            pair, by = f"((uint64_t)(uint32_t){a[2]} << 32 | (uint32_t){a[1]})", f"((uint32_t){a[3]} & 31)"
            return f"{a[0]} = (uint32_t)({pair} << {by} >> 32);" if parts[1] == "l" else f"{a[0]} = (uint32_t)({pair} >> {by});"
        if op == "bfi":
            mask = f"((({a[4]}) >= 64 ? 0 : 1ull << ({a[4]})) - 1)"
            return f"{a[0]} = {cast}((({a[1]} & {mask}) << {a[3]}) | ({a[2]} & ~({mask} << {a[3]})));"
        if op == "mov":
            if raw[0].startswith("{"):
                low, high = (name(r) for r in raw[0].strip("{}").split(","))
                return f"{low} = (uint32_t){a[1]}; {high} = (uint32_t)({a[1]} >> 32);"
            if raw[1].startswith("{"):
                low, high = (name(r) for r in raw[1].strip("{}").split(","))
                return f"{a[0]} = (uint64_t)(uint32_t){high} << 32 | (uint32_t){low};"
            if re.fullmatch(r"[_A-Za-z]\w*", raw[1]):
                return f"{a[0]} = (uint64_t)(uintptr_t){raw[1]};"
            return f"{a[0]} = {cast}{a[1]};"
        if op == "vote":
            return f"{a[0]} = ptx_ballot(thread, {a[1]});"
        raise SystemExit(f"ptx_to_cpp.py does not know {opcode}")

    def instruction(self, text):
        guard = re.match(r"@(!?)(%p\d+)\s+", text)
        prefix = ""
        if guard:
            prefix, text = f"if ({guard[1]}{name(guard[2])}) ", text[guard.end():]
            self.use([guard[2]])
        opcode, _, rest = text.partition(" ")
        opcode = opcode.strip()
        raw = pieces(rest)
        self.use(raw)
        if opcode.startswith("bra"):
            body = f"goto {raw[0].strip('$')};"
        elif opcode == "ret":
            body = "return;"
        elif opcode.startswith(("ld.", "st.")):
            body = self.memory(opcode, raw)
        elif re.match(r"(mad|madc|add|addc|sub|subc)\.(lo\.|hi\.)?(cc\.)?u32$", opcode) and (
                ".cc" in opcode or opcode.split(".")[0].endswith("c")):
            body = self.carry(opcode.split(".")[0], opcode, [name(r) for r in raw])
        else:
            body = self.plain(opcode, [name(r) for r in raw], raw)
        self.lines.append(f"  {prefix}{{ {body} }}")

    def write(self):
        by_type = {}
        for register in sorted(self.registers):
            kind = self.scoped.get(register) or REGISTER[re.match(r"%[a-z]+", register)[0]]
            by_type.setdefault(kind, []).append(name(register))
        declared = "".join(f"  {kind} {', '.join(f'{r} = 0' for r in registers)};\n"
                           for kind, registers in by_type.items())
        return (f"void {self.label}(PtxThread* thread, const unsigned char* const* param) {{\n"
                f"  uint32_t carry = 0;\n{declared}  (void)thread; (void)carry; (void)param;\n" + "\n".join(self.lines) +
                "\n}\n\n")


def translate(text):
    text = re.sub(r"//[^\n]*", "", text)
    out, kernel = [PRELUDE], None
    for label, size, values in re.findall(r"\.global \.align 8 \.b8 (\w+)\[(\d+)\] = \{([^}]*)\}", text):
        out.append(f"static const unsigned char {label}[{size}] __attribute__((aligned(8))) = {{{values}}};\n\n")
    text = re.sub(r"\.global [^;]*;", "", text)
    for entry in re.finditer(r"\.entry (\w+)\(.*?\n\{\n(.*?)\n\}\n", text, re.S):
        kernel = Kernel(re.search(r"\d+([a-z]+_kernel)E", entry[1])[1], entry[2])
        for line in map(str.strip, re.split(r"[;\n]", entry[2])):
            if not line or line in "{}" or line.startswith("."):
                continue
            if line.endswith(":"):
                kernel.lines.append(f"{line.strip('$')};")
                continue
            kernel.instruction(re.sub(r"\s+", " ", line))
        out.append(kernel.write())
    if kernel is None:
        raise SystemExit("no kernel in the PTX")
    return "".join(out)


if __name__ == "__main__":
    with open(sys.argv[1]) as source, open(sys.argv[2], "w") as target:
        target.write(translate(source.read()))
