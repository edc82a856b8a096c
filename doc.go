// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package pbkdf2 implements PBKDF2 (RFC 8018).
package pbkdf2

//go:generate go run -C asm . -out ..
