// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "fmt"

// A hash is a compression function whose message block holds a digest and its padding.
type hash struct {
	bits, words int    // the size of a word, and words in the state
	rounds      int    // a multiple of words, so that in the end each variable has its first role again
	rolled      int    // the first round of those in a loop, 16 at a time; rounds if there is no loop
	perConstant int    // rounds that share a constant
	message     string // declaration of the message words that are not fixed
	variable    string // one of them, as a format
	truncated   bool   // the digest may be a part of the state only

	// fixed holds the message words that are the same in every iteration: the name of a field of padding, or "" for zero.
	fixed map[int]string
	// index says which message word round t adds.
	index func(t int) int
	// schedule is message word t ≥ 16.
	schedule func(h *hash, t int) string
	// round is round t, with the working variables A, B, … and K for the sum of constant and message word.
	round func(t int) string
}

var hashes = map[string]*hash{
	"md5":    md5,
	"sha1":   sha1,
	"sha256": sha2(32, 64, [3]int{2, 13, 22}, [3]int{6, 11, 25}, [3]int{7, 18, 3}, [3]int{17, 19, 10}),
	"sha512": sha2(64, 80, [3]int{28, 34, 39}, [3]int{14, 18, 41}, [3]int{1, 8, 7}, [3]int{19, 61, 6}),
}

// RFC 1321, section 3.4. The halves of G have no bit in common, so that they may be added one by one, the one without b
// before b is known. With F that would cost an instruction more in the chain from b.
var md5 = &hash{
	bits: 32, words: 4, rounds: 64, rolled: 64, perConstant: 1,
	message: "w0, w1, w2, w3 uint32", variable: "w%d",
	fixed: map[int]string{4: "w4", 5: "", 6: "", 7: "", 8: "", 9: "", 10: "", 11: "", 12: "", 13: "", 14: "w14", 15: ""},
	index: func(t int) int {
		return [...]int{t, 5*t + 1, 3*t + 5, 7 * t}[t/16] % 16
	},
	round: func(t int) string {
		f := [...]string{
			"A += (C^D)&B ^ D",
			"A += ^D & C\nA += D & B",
			"A += C ^ D ^ B",
			"A += (^D | B) ^ C",
		}[t/16]
		rotate := [...][4]int{{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}[t/16][t%4]
		return fmt.Sprintf("A += K\n%s\nA = bits.RotateLeft32(A, %d) + B", f, rotate)
	},
}

// FIPS 180-4, section 6.1.2, with Ch(b, c, d) = ((c ^ d) & b) ^ d and Maj(b, c, d) = (c & d) + ((c ^ d) & b).
var sha1 = &hash{
	bits: 32, words: 5, rounds: 80, rolled: 80, perConstant: 20,
	message: "w [16]uint32", variable: "w[%d]",
	fixed: map[int]string{5: "w5", 6: "", 7: "", 8: "", 9: "", 10: "", 11: "", 12: "", 13: "", 14: "", 15: "w15"},
	index: func(t int) int { return t },
	schedule: func(h *hash, t int) string {
		return "bits.RotateLeft32(" + xor(h.word(t-3), h.word(t-8), h.word(t-14), h.word(t-16)) + ", 1)"
	},
	round: func(t int) string {
		f := [...]string{"(C^D)&B ^ D", "B ^ C ^ D", "C&D + (C^D)&B", "B ^ C ^ D"}[t/20]
		return "E += K\nE += " + f + "\nE += bits.RotateLeft32(A, 5)\nB = bits.RotateLeft32(B, 30)"
	},
}

// FIPS 180-4, section 6.2.2 (SHA-256) and 6.4.2 (SHA-512), with Ch(e, f, g) = ((f ^ g) & e) ^ g and
// Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, whose b ^ c the compiler keeps from the round before. The functions Σ0, Σ1, σ0
// and σ1 are given by their rotations, the last of σ0 and σ1 being a shift. Rotations are nested,
// x>>>i ^ x>>>j = (x ^ x>>>(j-i))>>>i, because an instruction that overwrites what it rotates needs a copy otherwise.
// Past the rounds that know a fixed word a loop is faster: less code than fills the cache of decoded instructions.
func sha2(bits, rounds int, S0, S1, s0, s1 [3]int) *hash {
	rotate := func(x string, n int) string { return fmt.Sprintf("bits.RotateLeft%d(%s, -%d)", bits, x, n) }
	rotate3 := func(x string, n [3]int) string {
		return rotate(x+"^"+rotate(x+"^"+rotate(x, n[2]-n[1]), n[1]-n[0]), n[0])
	}
	rotate2 := func(x string, n [3]int) string {
		if x == "" {
			return ""
		}
		return fmt.Sprintf("(%s ^ %s>>%d)", rotate(x+"^"+rotate(x, n[1]-n[0]), n[0]), x, n[2])
	}
	return &hash{
		bits: bits, words: 8, rounds: rounds, rolled: 32, perConstant: 1, truncated: true,
		message: fmt.Sprintf("w [16]uint%d", bits), variable: "w[%d]",
		fixed: map[int]string{8: "w8", 9: "", 10: "", 11: "", 12: "", 13: "", 14: "", 15: "w15"},
		index: func(t int) int { return t },
		schedule: func(h *hash, t int) string {
			return sum(h.word(t-16), h.word(t-7), rotate2(h.word(t-15), s0), rotate2(h.word(t-2), s1))
		},
		round: func(t int) string {
			return "H += K\nH += (F^G)&E ^ G\nH += " + rotate3("E", S1) + "\nD += H\nH += (A^B)&(B^C) ^ B\nH += " + rotate3("A", S0)
		},
	}
}
