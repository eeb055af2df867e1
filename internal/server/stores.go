package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"tilth/internal/app"
	"tilth/internal/cluster"
	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/mail"
	"tilth/internal/domain/reading"
	"tilth/internal/edge/provider"
	"tilth/internal/platform/datafolder"
	"tilth/internal/platform/db"
	"tilth/internal/settings"
)

// Stores are the stores of a server, with what is open beneath them.
type Stores struct {
	*app.Stores
	Folder    *datafolder.Lock
	Retention *datafolder.RetentionClock
	mail      *mail.SMTP  // nil: mail is not set up
	mails     *mail.Queue // nil: no mail is sent
}

// foundation is what a server's stores stand on: the data folder, the database, the platform's key and
// the readings.
type foundation struct {
	folder    *datafolder.Lock
	db        *db.DB
	key       []byte
	retention *datafolder.RetentionClock
	readings  *reading.Store
	term      *cluster.Term          // nil: the server is no node of a cluster
	archive   *cluster.ArchiveReader // nil: the server is no node of a cluster
}

// close closes all of it that is open, and unlocks the data folder.
func (f *foundation) close() error {
	var err error
	if f.readings != nil {
		err = f.readings.Close()
	}
	if f.db != nil {
		err = errors.Join(err, f.db.Close())
	}
	if f.archive != nil {
		err = errors.Join(err, f.archive.Close())
	}
	return errors.Join(err, f.folder.Close())
}

// OpenStores opens the data folder, and creates what is missing. links is the address that links in
// messages begin with.
func OpenStores(ctx context.Context, set *settings.Server, links string, logger *slog.Logger) (*Stores, error) {
	f, err := openFoundation(ctx, set, logger)
	if err != nil {
		return nil, err
	}
	s, err := newStores(ctx, set, links, logger, f)
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return s, nil
}

// openFoundation opens the foundation of one server alone.
func openFoundation(ctx context.Context, set *settings.Server, logger *slog.Logger) (_ *foundation, err error) {
	f := &foundation{}
	if f.folder, err = datafolder.LockFolder(set.DataDir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if err := reading.RefuseNewer(readingsDir(set)); err != nil {
		return nil, ExplainDamage(set.DataDir, err)
	}
	// Up to here nothing has been written; this refuses a newer database, too.
	if f.db, err = openDatabase(ctx, set.DataDir, set.DatabaseURL); err != nil {
		return nil, ExplainDamage(set.DataDir, err)
	}
	if f.key, err = datafolder.DeviceKey(ctx, f.db, set.DataDir); err != nil {
		return nil, err
	}
	if err := f.openReadings(ctx, set, logger, nil); err != nil {
		return nil, err
	}
	return f, nil
}

// openReadings opens the readings of a data folder. onBroken, which may be nil, is called once they
// cannot be written any more.
func (f *foundation) openReadings(
	ctx context.Context,
	set *settings.Server,
	logger *slog.Logger,
	onBroken func(error),
) (err error) {
	if err := provider.RemoveLeftovers(set.DataDir); err != nil {
		return fmt.Errorf("--data-dir: %w", err)
	}
	f.retention = datafolder.ReadRetentionClock(set.DataDir, time.Now, logger)
	o := reading.Options{
		Dir:            readingsDir(set),
		Retention:      set.Retention,
		RetentionClock: f.retention.Now,
		Logger:         logger,
		OnBroken:       onBroken,
	}
	if f.archive != nil {
		o.Archive, o.Archiving = f.archive, set.Cluster.Archive
	}
	f.readings, err = reading.Open(ctx, o)
	return ExplainDamage(set.DataDir, err)
}

// readingsDir is the folder of the readings.
func readingsDir(set *settings.Server) string { return filepath.Join(set.DataDir, "readings") }

// newStores makes the stores and loads them.
func newStores(
	ctx context.Context,
	set *settings.Server,
	links string,
	logger *slog.Logger,
	f *foundation,
) (_ *Stores, err error) {
	s := &Stores{Folder: f.folder, Retention: f.retention}
	if set.Notifications.Mail != nil {
		s.mail = mail.NewSMTP(*set.Notifications.Mail, time.Now)
		s.mails = mail.NewQueue(s.mail.Send, logger)
	}
	d := app.Deps{
		DB:                f.db,
		Readings:          f.readings,
		Key:               f.key,
		Logger:            logger,
		Version:           Version,
		Now:               time.Now,
		RetentionClock:    f.retention.Now,
		Mailer:            newMailer(s.mails),
		SMS:               newTextSender(&set.Notifications, logger),
		Senders:           func(st *app.Stores) map[notify.ChannelKind]notify.Sender { return s.newSenders(st, set) },
		Private:           set.Notifications.WebhookPrivate,
		Issuer:            set.SignOn,
		LinkBase:          links,
		Retention:         set.Retention,
		AuditRetention:    set.AuditRetention,
		PasswordCost:      set.PasswordCost,
		MinPasswordLength: set.PasswordMin,
		CaptchaPolicy:     set.Captcha,
		MaxNoticesPerHour: set.NoticesAnHour,
		DigestAfter:       set.Notifications.DigestAfter,
		PerDay:            set.Notifications.PerDay,
		ScreensPerUser:    set.ScreensAUser,
		ScreensPerTenant:  set.ScreensATenant,
		TakenOver:         f.term != nil,
	}
	if d.PreviousStop, d.SaveAlive, err = f.alive(ctx); err != nil {
		return nil, err
	}
	if s.Stores, err = app.Open(ctx, d); err != nil {
		return nil, ExplainDamage(set.DataDir, err)
	}
	return s, nil
}

// Close closes the stores and unlocks the data folder.
func (s *Stores) Close() error {
	if s.mail != nil {
		s.mail.Close()
	}
	return errors.Join(s.Readings.Close(), s.DB.Close(), s.Folder.Close())
}

// openDatabase opens the database of a data folder. An empty address means the database in the
// folder.
func openDatabase(ctx context.Context, dir, address string) (*db.DB, error) {
	if address == "" {
		return db.Open(ctx, dir)
	}
	return db.OpenPostgres(ctx, dir, address)
}
