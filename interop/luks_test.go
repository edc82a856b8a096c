// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"bytes"
	"crypto/aes"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/xts"
)

// A luksVolume is what a LUKS header says of a volume with one key slot and AES in XTS mode.
type luksVolume struct {
	hash       string // of the key slot, its splitter and the digest
	keyLength  int
	slot       struct{ iter, stripes, offset int } // offset in bytes
	slotSalt   []byte
	digestIter int
	digestSalt []byte
	digest     []byte
}

const luksPassword = "correct horse"

// TestCryptsetup formats files as LUKS volumes, and opens their key slots with the password alone: the digest shows that the volume key is right.
func TestCryptsetup(t *testing.T) {
	cryptsetup := program(t, "cryptsetup")
	says(t, cryptsetup, "--version")
	for _, test := range []struct {
		format string
		hashes []string
		parse  func(t *testing.T, header []byte) *luksVolume
	}{
		{"luks1", []string{"sha1", "sha224", "sha256", "sha384", "sha512"}, parseLUKS1},
		{"luks2", []string{"sha1", "sha224", "sha256", "sha384", "sha512"}, parseLUKS2},
	} {
		for i, hash := range test.hashes {
			t.Run(test.format+"/"+hash, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "volume")
				if err := os.WriteFile(file, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(file, 20<<20); err != nil {
					t.Fatal(err)
				}
				run(t, strings.NewReader(luksPassword), cryptsetup, "luksFormat", "--batch-mode", "--type", test.format, "--pbkdf", "pbkdf2",
					"--pbkdf-force-iterations", fmt.Sprint(1000+i), "--hash", hash, "--cipher", "aes-xts-plain64", "--key-file", "-", file)
				volume, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				v := test.parse(t, volume)
				if v.hash != hash || v.slot.iter != 1000+i {
					t.Errorf("hash %s, %d iterations", v.hash, v.slot.iter)
				}
				h := hashNamed(t, v.hash)
				volumeKey := v.open(t, h, volume)
				same(t, "digest", key(t, h.new, string(volumeKey), v.digestSalt, v.digestIter, len(v.digest)), v.digest)
				t.Logf("key slot of %d, digest of %d iterations", v.slot.iter, v.digestIter)
			})
		}
	}
}

// open decrypts the key slot and merges its stripes to the volume key.
func (v *luksVolume) open(t *testing.T, h hashName, volume []byte) []byte {
	t.Helper()
	const sector = 512
	c, err := xts.NewCipher(aes.NewCipher, key(t, h.new, luksPassword, v.slotSalt, v.slot.iter, v.keyLength))
	if err != nil {
		t.Fatal(err)
	}
	split := make([]byte, (v.slot.stripes*v.keyLength+sector-1)/sector*sector)
	for i := 0; i < len(split); i += sector {
		c.Decrypt(split[i:i+sector], volume[v.slot.offset+i:][:sector], uint64(i/sector))
	}
	merged := make([]byte, v.keyLength)
	for i := range v.slot.stripes {
		subtle.XORBytes(merged, merged, split[i*v.keyLength:])
		if i == v.slot.stripes-1 {
			break
		}
		for j := 0; j*h.size < len(merged); j++ { // the diffusion of the LUKS1 specification §2.4
			part := merged[j*h.size : min((j+1)*h.size, len(merged))]
			d := h.new()
			d.Write(binary.BigEndian.AppendUint32(nil, uint32(j)))
			d.Write(part)
			copy(part, d.Sum(nil))
		}
	}
	return merged
}

// parseLUKS1 reads the header of the LUKS1 On-Disk Format Specification, version 1.2.3.
func parseLUKS1(t *testing.T, volume []byte) *luksVolume {
	var header struct {
		Magic                    [6]byte
		Version                  uint16
		Cipher, Mode, Hash       [32]byte
		PayloadOffset, KeyLength uint32
		Digest                   [20]byte
		DigestSalt               [32]byte
		DigestIter               uint32
		UUID                     [40]byte
		Active, SlotIter         uint32
		SlotSalt                 [32]byte
		MaterialSectors, Stripes uint32
	}
	if err := binary.Read(bytes.NewReader(volume), binary.BigEndian, &header); err != nil {
		t.Fatal(err)
	}
	if string(header.Magic[:]) != "LUKS\xba\xbe" || header.Version != 1 || header.Active != 0x00ac71f3 {
		t.Fatalf("%+v", header)
	}
	v := &luksVolume{
		hash: string(bytes.TrimRight(header.Hash[:], "\x00")), keyLength: int(header.KeyLength), slotSalt: header.SlotSalt[:],
		digestIter: int(header.DigestIter), digestSalt: header.DigestSalt[:], digest: header.Digest[:],
	}
	v.slot.iter, v.slot.stripes, v.slot.offset = int(header.SlotIter), int(header.Stripes), 512*int(header.MaterialSectors)
	return v
}

// parseLUKS2 reads the JSON area of the LUKS2 On-Disk Format Specification, version 1.1.1.
func parseLUKS2(t *testing.T, volume []byte) *luksVolume {
	if string(volume[:6]) != "LUKS\xba\xbe" || binary.BigEndian.Uint16(volume[6:]) != 2 {
		t.Fatalf("the header begins with %x", volume[:8])
	}
	type kdf struct {
		Type, Hash string
		Iterations int
		Salt       string
	}
	var header struct {
		Keyslots map[string]struct {
			KeySize int `json:"key_size"`
			AF      struct {
				Stripes int
				Hash    string
			}
			Area struct {
				Encryption, Offset string
				KeySize            int `json:"key_size"`
			}
			KDF kdf
		}
		Digests map[string]struct {
			kdf
			Digest string
		}
	}
	if err := json.NewDecoder(bytes.NewReader(volume[4096:])).Decode(&header); err != nil {
		t.Fatal(err)
	}
	slot, digest := header.Keyslots["0"], header.Digests["0"]
	if slot.KDF.Type != "pbkdf2" || digest.Type != "pbkdf2" || slot.Area.Encryption != "aes-xts-plain64" || slot.Area.KeySize != slot.KeySize ||
		slot.AF.Hash != slot.KDF.Hash || digest.Hash != slot.KDF.Hash {
		t.Fatalf("%+v", header)
	}
	decode := func(s string) []byte {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	v := &luksVolume{
		hash: slot.KDF.Hash, keyLength: slot.KeySize, slotSalt: decode(slot.KDF.Salt),
		digestIter: digest.Iterations, digestSalt: decode(digest.Salt), digest: decode(digest.Digest),
	}
	v.slot.iter, v.slot.stripes = slot.KDF.Iterations, slot.AF.Stripes
	var err error
	if v.slot.offset, err = strconv.Atoi(slot.Area.Offset); err != nil {
		t.Fatal(err)
	}
	return v
}
