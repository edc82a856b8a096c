// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// writeJSON writes everything that there is, so that Read gets it back.
func writeJSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Read reads a report that was written as JSON.
func Read(rd io.Reader) (*Report, error) {
	d := json.NewDecoder(rd)
	d.DisallowUnknownFields()
	r := new(Report)
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("not a report in JSON: %w", err)
	}
	return r, nil
}
