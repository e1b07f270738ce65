# What the steps of net_ldap.pl rest on: where the directory is, how a step is told (journey.ts reads it), and a few ways to ask.
use strict;
use warnings;
use utf8;

use Encode qw(encode_utf8);
use Net::LDAP;

our %lab = map { $_ => do { my $value = $ENV{"LAB_$_"}; utf8::decode($value); $value } }
  qw(HOST PORT TLS_PORT SOCKET CA CLIENT_CERT CLIENT_KEY SUFFIX ADMIN ADMIN_PASSWORD PERSON PERSON_PASSWORD SERVER);
our $slapd = $lab{SERVER} eq 'slapd';
our ($suffix, $admin_dn, $person) = @lab{qw(SUFFIX ADMIN PERSON)};
our $lab = "ou=lab,$suffix";
our $row = "ou=row,$lab";
our $space = "ou=net-ldap-perl,$lab";
our %tls = (verify => 'require', cafile => $lab{CA});
our %offered;

sub same {
  my ($got, $wanted, $what) = @_;
  $_ = ref $_ ? join('|', @$_) : $_ // '(undef)' for $got, $wanted;
  die "$what is '$got', not '$wanted'\n" if $got ne $wanted;
}

sub holds { my ($truth, $what) = @_; die "$what\n" unless $truth }

# Runs a step at once; the needed OID or mechanism must stand in the root DSE.
sub step {
  my ($name, $needs, $body) = @_;
  if (defined $needs && !$offered{$needs}) { print "--\t$name\t$needs\n"; return }
  if (eval { $body->(); 1 }) { print "ok\t$name\n"; return }
  my $why = $@ =~ s/\s+/ /gr;
  print "no\t$name\t$why\n";
}

# The message of an operation that went well.
sub well {
  my ($message) = @_;
  die sprintf("line %d: %d %s: %s\n", (caller)[2], $message->code, $message->error_name, $message->error) if $message->code;
  return $message;
}

# The message of an operation that must end with this code.
sub refused {
  my ($code, $message) = @_;
  die sprintf("line %d: %d (%s) instead of %d\n", (caller)[2], $message->code, $message->error, $code) if $message->code != $code;
  return $message;
}

sub open_to { my ($url, %more) = @_; return Net::LDAP->new($url, timeout => 20, %more) || die "$url: $@\n" }
sub plain { return open_to("ldap://$lab{HOST}:$lab{PORT}") }
sub secure { return open_to("ldaps://$lab{HOST}:$lab{TLS_PORT}", %tls) }

sub connected {
  my ($dn, $password, $ldap) = @_;
  $ldap //= plain();
  well($ldap->bind($dn // $admin_dn, password => encode_utf8($password // $lab{ADMIN_PASSWORD})));
  return $ldap;
}

our $admin = connected();

sub found {
  my ($filter, $base, %more) = @_;
  my $done = well($admin->search(base => $base // $lab, filter => encode_utf8($filter), attrs => ['1.1'], %more));
  return sort map { $_->dn } $done->entries;
}

sub values_of {
  my ($dn, @names) = @_;
  my $entry = well($admin->search(base => $dn, scope => 'base', filter => '(objectClass=*)', attrs => [@names]))->entry(0);
  return map { my $text = $_; utf8::decode($text); $text } map { $entry->get_value($_) } @names;
}

sub add_person {
  my ($uid, $parent, %more) = @_;
  my $dn = "uid=$uid," . ($parent // $space);
  well($admin->add($dn, attrs => [objectClass => ['inetOrgPerson'], uid => $uid, cn => 'Somebody', sn => 'S', %more]));
  return $dn;
}

well($admin->add($space, attrs => [objectClass => 'organizationalUnit', ou => 'net-ldap-perl']));

1;
