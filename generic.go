// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"github.com/fastkdf/pbkdf2/internal/md5"
	"github.com/fastkdf/pbkdf2/internal/sha1"
	"github.com/fastkdf/pbkdf2/internal/sha256"
	"github.com/fastkdf/pbkdf2/internal/sha512"
)

// The pure-Go rows, last in every table. They need nothing. The costs are of this code on an AMD Zen 4.
var genericRows = []row{
	{"generic", 1, costs{287}, 0, [numHashes]iterate{idMD5: md5.IterateGeneric}},
	{"generic", 1, costs{257}, 0, [numHashes]iterate{idSHA1: sha1.IterateGeneric}},
	{"generic", 1, costs{640}, 0, [numHashes]iterate{idSHA224: sha256.IterateGeneric224, idSHA256: sha256.IterateGeneric}},
	{"generic", 1, costs{805}, 0, [numHashes]iterate{idSHA384: sha512.IterateGeneric384, idSHA512: sha512.IterateGeneric,
		idSHA512_224: sha512.IterateGeneric512_224, idSHA512_256: sha512.IterateGeneric512_256}},
}

var genericCompressors = []compressor{
	{"generic", 0, md5.Compress, []hashID{idMD5}},
	{"generic", 0, sha1.Compress, []hashID{idSHA1}},
	{"generic", 0, sha256.Compress, []hashID{idSHA224, idSHA256}},
	{"generic", 0, sha512.Compress, []hashID{idSHA384, idSHA512, idSHA512_224, idSHA512_256}},
}
