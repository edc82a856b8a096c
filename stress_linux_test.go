// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Every thread gets thousands of signals a second, wherever it is, kernels included: the one by which the runtime interrupts goroutines and one that the program waits for. The collector never
// rests.
func TestStressSignals(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") {
		t.Skip("the emulator that needs GODEBUG=asyncpreemptoff=1 crashes by signals")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGUSR1)
	defer signal.Stop(received)
	var sent, seen atomic.Int64
	stress(t, garbage, func(ctx context.Context) {
		for ctx.Err() == nil {
			threads, err := os.ReadDir("/proc/self/task")
			if err != nil {
				t.Error(err)
				return
			}
			for range 20 {
				for _, thread := range threads {
					id, err := strconv.Atoi(thread.Name())
					if err != nil {
						t.Error(err)
						return
					}
					for _, s := range []syscall.Signal{syscall.SIGURG, syscall.SIGUSR1} {
						if _, _, errno := syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(id), uintptr(s)); errno == 0 {
							sent.Add(1)
						}
					}
				}
				time.Sleep(20 * time.Microsecond)
			}
		}
	}, func(ctx context.Context) {
		for ctx.Err() == nil {
			select {
			case <-received:
				seen.Add(1)
			case <-ctx.Done():
			}
		}
	})
	t.Logf("%d signals sent, %d of half of them waited for", sent.Load(), seen.Load())
	if sent.Load() < int64(few(1000)) || seen.Load() < int64(few(16)) {
		t.Errorf("%d signals sent, %d of half of them seen", sent.Load(), seen.Load())
	}
}
