// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2"
)

func TestWPAPassphrase(t *testing.T) {
	wpaPassphrase := program(t, "wpa_passphrase")
	psk := regexp.MustCompile(`(?m)^\s*psk=([0-9a-f]{64})$`)
	var all []pbkdf2.Job
	for length := 8; length <= 63; length += 5 {
		word := fmt.Sprintf("%d %s", length, strings.Repeat("correct horse, battery staple. ", 3))[:length]
		ssid := strings.Repeat("home network", 3)[:1+(length-8)*31/55]
		all = append(all, pbkdf2.Job{Password: []byte(word), Salt: []byte(ssid), Iter: 4096, Key: make([]byte, 32)})
	}
	derive(t, sha1.New, all)
	for _, j := range all {
		found := psk.FindSubmatch(run(t, nil, wpaPassphrase, string(j.Salt), string(j.Password)))
		if found == nil {
			t.Fatal("no psk")
		}
		theirs, err := hex.DecodeString(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("%s, %s", j.Salt, j.Password), j.Key, theirs)
	}
	t.Logf("%d keys", len(all))
}
