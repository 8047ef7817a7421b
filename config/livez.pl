# The container's health check: exit 0 when GET /livez of the daemon, or of the watchdog, answers 200 on this machine, else 1.
# perl livez.pl FILE [server|watchdog]
# FILE is the bot's configuration, from which the port is read: `port` within `server` (9464 where it is not said) or within `watchdog`.

use strict;
use warnings;
use IO::Socket::INET;

my $text = '';
if (open my $file, '<', $ARGV[0] // '') { local $/; $text = <$file>; close $file }
$text =~ s/(^|\s)#.*//mg;
my $name = $ARGV[1] // 'server';
my ($section) = $text =~ /^\Q$name\E:(.*?)(?=^\S|\z)/ms;
my ($port) = ($section // '') =~ /(?:^|[\s{,])port:\s*(\d+)/;
$port //= 9464 if $name eq 'server';
exit 1 unless defined $port;

my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 2) or exit 1;
print $socket "GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
my $status = <$socket> // '';
exit($status =~ m{^HTTP/1\.1 200 } ? 0 : 1);
