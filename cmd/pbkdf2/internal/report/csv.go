// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"encoding/csv"
	"io"
	"strconv"
)

// writeCSV writes each table with a header of keys; every row tells the
// circumstances too. An empty line separates tables, which have different
// columns.
func writeCSV(w io.Writer, r *Report) error {
	for i := range r.Tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		t := &r.Tables[i]
		cw := csv.NewWriter(w)
		head := []string{"table"}
		for _, c := range t.Columns {
			head = append(head, c.Key)
		}
		if err := cw.Write(append(head, "cpu", "system", "go", "date", "command")); err != nil {
			return err
		}
		for _, row := range t.Rows {
			line := []string{t.Name}
			for _, c := range t.Columns {
				line = append(line, plain(row[c.Key]))
			}
			if err := cw.Write(append(line, r.CPU, r.System, r.Go, r.Date, r.Command)); err != nil {
				return err
			}
		}
		if cw.Flush(); cw.Error() != nil {
			return cw.Error()
		}
	}
	return nil
}

// plain returns a cell for programs to read: numbers in full, without a unit.
func plain(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return v
	}
	return ""
}
