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
	shani    = cpu.SHA | cpu.SSE41 | cpu.SSSE3
	bmi2     = cpu.BMI1 | cpu.BMI2 | cpu.AVX2 | cpu.AVX
	avx2     = cpu.AVX2 | cpu.AVX
	avx512   = cpu.AVX512F | cpu.AVX
	avx512vl = cpu.AVX512VL | cpu.AVX512F | avx2
)

// The kernel table. Costs are in cycles of one compression of all lanes, as BenchmarkCycles measures them on an AMD Zen 4, and beside them, where they were
// measured, those of prototypes that were arranged alike on a Zen 5. There AVX-512VL's are those of AVX-512 on as many registers, which take the same on both widths; the wider row comes first,
// and so is used.
var rows = append([]row{
	{"scalar", 1, costs{281, 282}, 0, [numHashes]iterate{idMD5: md5.IterateScalar}},
	{"scalarx2", 2, costs{285}, 0, [numHashes]iterate{idMD5: md5.IterateScalarx2}},
	{"avx2x8", 8, costs{348, 716}, avx2, [numHashes]iterate{idMD5: md5.IterateAVX2x8}},
	{"avx2x16", 16, costs{417, 719}, avx2, [numHashes]iterate{idMD5: md5.IterateAVX2x16}},
	{"avx2x24", 24, costs{496, 786}, avx2, [numHashes]iterate{idMD5: md5.IterateAVX2x24}},
	{"avx2x32", 32, costs{618}, avx2, [numHashes]iterate{idMD5: md5.IterateAVX2x32}},
	{"avx512x16", 16, costs{361, 506}, avx512, [numHashes]iterate{idMD5: md5.IterateAVX512x16}},
	{"avx512vlx8", 8, costs{316, 506}, avx512vl, [numHashes]iterate{idMD5: md5.IterateAVX512VLx8}},
	{"avx512x32", 32, costs{427, 507}, avx512, [numHashes]iterate{idMD5: md5.IterateAVX512x32}},
	{"avx512x48", 48, costs{609, 533}, avx512, [numHashes]iterate{idMD5: md5.IterateAVX512x48}},
	{"avx512x64", 64, costs{750, 563}, avx512, [numHashes]iterate{idMD5: md5.IterateAVX512x64}},
	{"avx512x96", 96, costs{1115, 625}, avx512, [numHashes]iterate{idMD5: md5.IterateAVX512x96}},
	{"avx512x112", 112, costs{1313, 688}, avx512, [numHashes]iterate{idMD5: md5.IterateAVX512x112}},

	{"shani", 1, costs{121, 123}, shani, [numHashes]iterate{idSHA1: sha1.IterateSHANI}},
	{"shanix2", 2, costs{121, 130}, shani, [numHashes]iterate{idSHA1: sha1.IterateSHANIx2}},
	{"shanix3", 3, costs{147, 152}, shani, [numHashes]iterate{idSHA1: sha1.IterateSHANIx3}},
	{"shanix4", 4, costs{175, 176}, shani, [numHashes]iterate{idSHA1: sha1.IterateSHANIx4}},
	{"bmi2", 1, costs{168}, bmi2, [numHashes]iterate{idSHA1: sha1.IterateBMI2}},
	{"avx2x8", 8, costs{389, 522}, avx2, [numHashes]iterate{idSHA1: sha1.IterateAVX2x8}},
	{"avx2x16", 16, costs{727, 720}, avx2, [numHashes]iterate{idSHA1: sha1.IterateAVX2x16}},
	{"avx512x16", 16, costs{431, 322}, avx512, [numHashes]iterate{idSHA1: sha1.IterateAVX512x16}},
	{"avx512vlx8", 8, costs{259, 322}, avx512vl, [numHashes]iterate{idSHA1: sha1.IterateAVX512VLx8}},
	{"avx512x32", 32, costs{805, 421}, avx512, [numHashes]iterate{idSHA1: sha1.IterateAVX512x32}},
	{"avx512x48", 48, costs{1183, 585}, avx512, [numHashes]iterate{idSHA1: sha1.IterateAVX512x48}},

	{"shani", 1, costs{129, 137}, shani, [numHashes]iterate{idSHA224: sha256.IterateSHANI_224, idSHA256: sha256.IterateSHANI}},
	{"shanix2", 2, costs{138, 154}, shani, [numHashes]iterate{idSHA224: sha256.IterateSHANIx2_224, idSHA256: sha256.IterateSHANIx2}},
	{"shanix3", 3, costs{166, 205}, shani, [numHashes]iterate{idSHA224: sha256.IterateSHANIx3_224, idSHA256: sha256.IterateSHANIx3}},
	{"shanix4", 4, costs{201, 265}, shani, [numHashes]iterate{idSHA224: sha256.IterateSHANIx4_224, idSHA256: sha256.IterateSHANIx4}},
	{"bmi2", 1, costs{356}, bmi2, [numHashes]iterate{idSHA224: sha256.IterateBMI2_224, idSHA256: sha256.IterateBMI2}},
	{"avx2x8", 8, costs{919, 985}, avx2, [numHashes]iterate{idSHA224: sha256.IterateAVX2x8_224, idSHA256: sha256.IterateAVX2x8}},
	{"avx512x16", 16, costs{918, 540}, avx512, [numHashes]iterate{idSHA224: sha256.IterateAVX512x16_224, idSHA256: sha256.IterateAVX512x16}},
	{"avx512vlx8", 8, costs{488, 540}, avx512vl, [numHashes]iterate{idSHA224: sha256.IterateAVX512VLx8_224, idSHA256: sha256.IterateAVX512VLx8}},
	{"avx512x32", 32, costs{1664, 868}, avx512, [numHashes]iterate{idSHA224: sha256.IterateAVX512x32_224, idSHA256: sha256.IterateAVX512x32}},
	{"avx512x48", 48, costs{2545, 1264}, avx512, [numHashes]iterate{idSHA224: sha256.IterateAVX512x48_224, idSHA256: sha256.IterateAVX512x48}},

	{"bmi2", 1, costs{454}, bmi2, [numHashes]iterate{idSHA384: sha512.IterateBMI2_384, idSHA512: sha512.IterateBMI2,
		idSHA512_224: sha512.IterateBMI2_512_224, idSHA512_256: sha512.IterateBMI2_512_256}},
	{"avx2x4", 4, costs{1158, 1213}, avx2, [numHashes]iterate{idSHA384: sha512.IterateAVX2x4_384, idSHA512: sha512.IterateAVX2x4,
		idSHA512_224: sha512.IterateAVX2x4_512_224, idSHA512_256: sha512.IterateAVX2x4_512_256}},
	{"avx512x8", 8, costs{1178, 675}, avx512, [numHashes]iterate{idSHA384: sha512.IterateAVX512x8_384, idSHA512: sha512.IterateAVX512x8,
		idSHA512_224: sha512.IterateAVX512x8_512_224, idSHA512_256: sha512.IterateAVX512x8_512_256}},
	{"avx512vlx4", 4, costs{631, 675}, avx512vl, [numHashes]iterate{idSHA384: sha512.IterateAVX512VLx4_384, idSHA512: sha512.IterateAVX512VLx4,
		idSHA512_224: sha512.IterateAVX512VLx4_512_224, idSHA512_256: sha512.IterateAVX512VLx4_512_256}},
	{"avx512x16", 16, costs{2128, 1097}, avx512, [numHashes]iterate{idSHA384: sha512.IterateAVX512x16_384, idSHA512: sha512.IterateAVX512x16}},
	{"avx512x24", 24, costs{3270, 1619}, avx512, [numHashes]iterate{idSHA384: sha512.IterateAVX512x24_384, idSHA512: sha512.IterateAVX512x24}},
}, genericRows...)

// The compression functions, the best first.
var compressors = append([]compressor{
	{"scalar", 0, md5.CompressScalar, []hashID{idMD5}},
	{"shani", shani, sha1.CompressSHANI, []hashID{idSHA1}},
	{"bmi2", bmi2, sha1.CompressBMI2, []hashID{idSHA1}},
	{"shani", shani, sha256.CompressSHANI, []hashID{idSHA224, idSHA256}},
	{"bmi2", bmi2, sha256.CompressBMI2, []hashID{idSHA224, idSHA256}},
	{"bmi2", bmi2, sha512.CompressBMI2, []hashID{idSHA384, idSHA512, idSHA512_224, idSHA512_256}},
}, genericCompressors...)
