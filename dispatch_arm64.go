// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package pbkdf2

import (
	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/md5"
	"github.com/fastkdf/pbkdf2/internal/sha1"
	"github.com/fastkdf/pbkdf2/internal/sha256"
	"github.com/fastkdf/pbkdf2/internal/sha512"
)

// What the kernels need.
const (
	neon        = cpu.ASIMD
	armv8SHA1   = cpu.SHA1 | cpu.ASIMD
	armv8SHA2   = cpu.SHA2 | cpu.ASIMD
	armv8SHA512 = cpu.SHA512 | cpu.ASIMD
)

// The kernel table. Costs are in cycles of one compression of all lanes on a Neoverse V2, by LLVM's model of it: doc/arm64-model.md.
var rows = append([]row{
	{"scalar", 1, costs{282}, 0, [numHashes]iterate{idMD5: md5.IterateScalar}},
	{"scalarx2", 2, costs{282}, 0, [numHashes]iterate{idMD5: md5.IterateScalarx2}},
	{"scalarx3", 3, costs{282}, 0, [numHashes]iterate{idMD5: md5.IterateScalarx3}},
	{"neonx4", 4, costs{622}, neon, [numHashes]iterate{idMD5: md5.IterateNEONx4}},
	{"neonx8", 8, costs{622}, neon, [numHashes]iterate{idMD5: md5.IterateNEONx8}},
	{"neonx12", 12, costs{624}, neon, [numHashes]iterate{idMD5: md5.IterateNEONx12}},
	{"neonx16", 16, costs{657}, neon, [numHashes]iterate{idMD5: md5.IterateNEONx16}},
	{"neonx24", 24, costs{725}, neon, [numHashes]iterate{idMD5: md5.IterateNEONx24}},

	{"sha1", 1, costs{82}, armv8SHA1, [numHashes]iterate{idSHA1: sha1.IterateSHA1}},
	{"sha1x2", 2, costs{94}, armv8SHA1, [numHashes]iterate{idSHA1: sha1.IterateSHA1x2}},
	{"scalar", 1, costs{162}, 0, [numHashes]iterate{idSHA1: sha1.IterateScalar}},
	{"neonx4", 4, costs{482}, neon, [numHashes]iterate{idSHA1: sha1.IterateNEONx4}},

	{"sha2", 1, costs{82}, armv8SHA2, [numHashes]iterate{idSHA224: sha256.IterateSHA2_224, idSHA256: sha256.IterateSHA2}},
	{"sha2x2", 2, costs{115}, armv8SHA2, [numHashes]iterate{idSHA224: sha256.IterateSHA2x2_224, idSHA256: sha256.IterateSHA2x2}},
	{"scalar", 1, costs{321}, neon, [numHashes]iterate{idSHA224: sha256.IterateScalar_224, idSHA256: sha256.IterateScalar}},
	{"neonx4", 4, costs{794}, neon, [numHashes]iterate{idSHA224: sha256.IterateNEONx4_224, idSHA256: sha256.IterateNEONx4}},

	{"sha512", 1, costs{184}, armv8SHA512, [numHashes]iterate{idSHA384: sha512.IterateSHA512_384, idSHA512: sha512.IterateSHA512,
		idSHA512_224: sha512.IterateSHA512_512_224, idSHA512_256: sha512.IterateSHA512_512_256}},
	{"sha512x2", 2, costs{290}, armv8SHA512, [numHashes]iterate{idSHA384: sha512.IterateSHA512x2_384, idSHA512: sha512.IterateSHA512x2}},
	{"scalar", 1, costs{401}, neon, [numHashes]iterate{idSHA384: sha512.IterateScalar_384, idSHA512: sha512.IterateScalar,
		idSHA512_224: sha512.IterateScalar_512_224, idSHA512_256: sha512.IterateScalar_512_256}},
}, genericRows...)

// The compression functions, the best first.
var compressors = append([]compressor{
	{"scalar", 0, md5.CompressScalar, []hashID{idMD5}},
	{"sha1", armv8SHA1, sha1.CompressSHA1, []hashID{idSHA1}},
	{"scalar", 0, sha1.CompressScalar, []hashID{idSHA1}},
	{"sha2", armv8SHA2, sha256.CompressSHA2, []hashID{idSHA224, idSHA256}},
	{"scalar", neon, sha256.CompressScalar, []hashID{idSHA224, idSHA256}},
	{"sha512", armv8SHA512, sha512.CompressSHA512, []hashID{idSHA384, idSHA512, idSHA512_224, idSHA512_256}},
	{"scalar", neon, sha512.CompressScalar, []hashID{idSHA384, idSHA512, idSHA512_224, idSHA512_256}},
}, genericCompressors...)
