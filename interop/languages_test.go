// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2"
)

func TestOpenSSLKDF(t *testing.T) {
	openssl := program(t, "openssl")
	says(t, openssl, "version")
	for _, h := range hashes {
		t.Run(h.openssl, func(t *testing.T) {
			all := jobs(h)
			derive(t, h.new, all)
			for i, j := range all {
				theirs := run(t, nil, openssl, "kdf", "-binary", "-keylen", fmt.Sprint(len(j.Key)), "-kdfopt", "digest:"+h.openssl,
					"-kdfopt", "hexpass:"+hex.EncodeToString(j.Password), "-kdfopt", "hexsalt:"+hex.EncodeToString(j.Salt),
					"-kdfopt", fmt.Sprint("iter:", j.Iter), "-kdfopt", "pkcs5:1", "PBKDF2") // pkcs5: without the least lengths of SP 800-132
				same(t, fmt.Sprintf("job %d", i), j.Key, theirs)
			}
		})
	}
}

// A scriptJob is a derivation as the scripts below read it, one a line.
type scriptJob struct {
	Hash, Password, Salt string // bytes in hexadecimal
	Iter, Length         int
}

const pythonScript = `
import hashlib, json, sys
for line in sys.stdin:
    j = json.loads(line)
    print(hashlib.pbkdf2_hmac(j["Hash"], bytes.fromhex(j["Password"]), bytes.fromhex(j["Salt"]), j["Iter"], j["Length"]).hex())
`

const nodeScript = `
const crypto = require("crypto");
for (const line of require("fs").readFileSync(0, "utf8").trimEnd().split("\n")) {
  const j = JSON.parse(line);
  console.log(crypto.pbkdf2Sync(Buffer.from(j.Password, "hex"), Buffer.from(j.Salt, "hex"), j.Iter, j.Length, j.Hash).toString("hex"));
}
`

func TestPythonHashlib(t *testing.T) {
	python := program(t, "python3")
	says(t, python, "--version")
	testScript(t, python, "-c", pythonScript)
}

func TestNodeCrypto(t *testing.T) {
	node := program(t, "node")
	says(t, node, "--version")
	testScript(t, node, "-e", nodeScript)
}

// testScript compares with a script that reads scriptJobs and writes keys.
func testScript(t *testing.T, program string, args ...string) {
	var in bytes.Buffer
	var all []pbkdf2.Job
	var names []string
	lines := json.NewEncoder(&in)
	for _, h := range hashes {
		mine := append(jobs(h), pbkdf2.Job{Iter: 3, Key: make([]byte, h.size)}) // empty password and salt
		derive(t, h.new, mine)
		for _, j := range mine {
			s := scriptJob{strings.ToLower(h.openssl), hex.EncodeToString(j.Password), hex.EncodeToString(j.Salt), j.Iter, len(j.Key)}
			if err := lines.Encode(s); err != nil {
				t.Fatal(err)
			}
			all = append(all, j)
			names = append(names, fmt.Sprintf("%+v", s))
		}
	}
	theirs := strings.Fields(string(run(t, &in, program, args...)))
	if len(theirs) != len(all) {
		t.Fatalf("%d keys for %d jobs", len(theirs), len(all))
	}
	for i, s := range theirs {
		k, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		same(t, names[i], all[i].Key, k)
	}
	t.Logf("%d keys", len(all))
}
