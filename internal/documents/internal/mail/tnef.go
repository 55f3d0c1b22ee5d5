package mail

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// Attributes of a TNEF packet, numbered as in [MS-OXTNEF].
const (
	tnefBody       = 0x0006800C
	tnefCodePage   = 0x00069007
	tnefAttachment = 0x00069002 // starts an attachment
	tnefTitle      = 0x00018010
	tnefData       = 0x0006800F
)

// ConvertTNEF is the converter for winmail.dat (TNEF), Outlook's container of attachments.
func ConvertTNEF(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("tnef"); err != nil {
		return err
	}
	const most = 256 << 20
	if src.Size > most {
		return fmt.Errorf("an Outlook attachment packet (winmail.dat) larger than %d MiB is not read", most>>20)
	}
	data, err := io.ReadAll(src.Reader())
	if err != nil {
		return err
	}
	p := packet{out: out, data: data[min(6, len(data)):], label: "windows-1252"} // skips the signature and a key
	for ctx.Err() == nil && len(p.data) > 0 {
		if err := p.attribute(); err != nil {
			return errors.Join(err, p.attach())
		}
	}
	return errors.Join(ctx.Err(), p.attach())
}

// packet is the unread rest of a packet.
type packet struct {
	out   format.Output
	data  []byte
	label string // charset of its texts
	title string // title of the current attachment
	file  []byte
	has   bool
}

// attribute reads one attribute.
func (p *packet) attribute() error {
	const head, sum = 9, 2 // level, number, length; checksum
	if len(p.data) < head {
		return errors.New("the packet is cut off")
	}
	le := binary.LittleEndian
	number, size := le.Uint32(p.data[1:]), int64(le.Uint32(p.data[5:]))
	if size > int64(len(p.data)-head) {
		return errors.New("the packet is cut off")
	}
	value := p.data[head : head+size]
	p.data = p.data[min(head+size+sum, int64(len(p.data))):]
	text := func() string { return charset.String(string(bytes.TrimRight(value, "\x00")), p.label) }
	switch number {
	case tnefCodePage:
		if len(value) >= 4 {
			p.label = fmt.Sprintf("windows-%d", le.Uint32(value))
		}
	case tnefBody:
		_, err := io.WriteString(p.out, text()+"\n")
		return err
	case tnefAttachment:
		err := p.attach()
		p.has = true
		return err
	case tnefTitle:
		p.title = format.OneLine(text())
	case tnefData:
		p.file = value
	}
	return nil
}

// attach passes the current attachment to the output.
func (p *packet) attach() error {
	if !p.has || p.file == nil {
		return nil
	}
	name := p.title
	if name == "" {
		name = "attachment"
	}
	file := p.file
	p.has, p.title, p.file = false, "", nil
	return p.out.Member(name, time.Time{}, bytes.NewReader(file))
}
