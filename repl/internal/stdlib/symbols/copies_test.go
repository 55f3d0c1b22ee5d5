package symbols

import (
	"hash/crc32"
	"io"
	"reflect"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
)

// Sessions have their own copies of variables, which share no memory with the package's.
func TestVariablesOfPackagesAreCopies(t *testing.T) {
	for path := range tables {
		theirs, own := tables[path](), Table(path)
		require.Len(t, own, len(theirs))
		for name, v := range theirs {
			if !v.CanAddr() || v.Type().Size() == 0 {
				continue
			}
			require.NotEqual(t, v.Addr().Pointer(), own[name].Addr().Pointer(), "%s.%s", path, name)
			disjoint(t, path+"."+name, v, own[name])
		}
	}
	own := Table("unicode")
	require.Same(t, own["Letter"].Interface(), own["L"].Interface())
	require.Same(t, own["L"].Interface(), own["Categories"].Interface().(map[string]*unicode.RangeTable)["L"])
	require.True(t, reflect.DeepEqual(unicode.Scripts, own["Scripts"].Interface()))
	require.Same(t, io.EOF, Table("io")["EOF"].Interface(), "packages return it")
	require.Same(t, time.UTC, Table("time")["UTC"].Interface(), "Time.Location returns it")
	require.Same(t, crc32.IEEETable, Table("hash/crc32")["IEEETable"].Interface(), "crc32.MakeTable returns it")
	own["Letter"].Interface().(*unicode.RangeTable).R16[0].Lo = 0
	clear(own["Categories"].Interface().(map[string]*unicode.RangeTable))
	require.True(t, unicode.IsLetter('a') && len(unicode.Categories) > 0)
}

// disjoint checks that a variable and its copy share no memory.
func disjoint(t *testing.T, name string, v, own reflect.Value) {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		if v.IsNil() {
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if shared := v.Type().String(); shared == "*time.Location" || shared == "*crc32.Table" {
			return
		}
		require.NotEqual(t, v.Pointer(), own.Pointer(), name)
		disjoint(t, name, v.Elem(), own.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				disjoint(t, name, v.Field(i), own.Field(i))
			}
		}
	case reflect.Slice:
		require.True(t, v.Len() == 0 || v.Pointer() != own.Pointer(), name)
		for i := range v.Len() {
			disjoint(t, name, v.Index(i), own.Index(i))
		}
	case reflect.Map:
		require.NotEqual(t, v.Pointer(), own.Pointer(), name)
		for it := v.MapRange(); it.Next(); {
			disjoint(t, name, it.Value(), own.MapIndex(it.Key()))
		}
	}
}

func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		Table("unicode")
	}
}
