# The journey of Net::LDAP, the client written in Perl.
use strict;
use warnings;
use utf8;

use Authen::SASL;
use Encode qw(encode_utf8);
use Net::LDAP;
use Net::LDAP::Constant qw(
  LDAP_CONTROL_DONTUSECOPY LDAP_CONTROL_MANAGEDSAIT LDAP_CONTROL_PAGED LDAP_CONTROL_POSTREAD LDAP_CONTROL_PREREAD LDAP_CONTROL_PROXYAUTHORIZATION
  LDAP_CONTROL_SORTRESULT LDAP_CONTROL_SUBENTRIES LDAP_CONTROL_SYNC_DONE LDAP_CONTROL_VLVRESPONSE LDAP_SYNC_REFRESH_ONLY
);
use Net::LDAP::Control;
use Net::LDAP::Control::Assertion;
use Net::LDAP::Control::DontUseCopy;
use Net::LDAP::Control::ManageDsaIT;
use Net::LDAP::Control::MatchedValues;
use Net::LDAP::Control::Paged;
use Net::LDAP::Control::PostRead;
use Net::LDAP::Control::PreRead;
use Net::LDAP::Control::ProxyAuth;
use Net::LDAP::Control::Relax;
use Net::LDAP::Control::Sort;
use Net::LDAP::Control::Subentries;
use Net::LDAP::Control::SyncRequest;
use Net::LDAP::Control::TreeDelete;
use Net::LDAP::Control::VLV;
use Net::LDAP::Extension::Cancel;
use Net::LDAP::Extension::SetPassword;
use Net::LDAP::Extension::WhoAmI;
use Net::LDAP::LDIF;
use Net::LDAP::Util qw(canonical_dn escape_filter_value escape_dn_value ldap_explode_dn);

binmode STDOUT, ':utf8';
$| = 1;

our (%lab, $slapd, $suffix, $admin_dn, $person, $lab, $row, $space, %tls, %offered, $admin);
BEGIN { require './net_ldap_base.pl' }

step 'root DSE, read by the library', undef, sub {
  my $dse = $admin->root_dse;
  same([$dse->get_value('namingContexts')], [$suffix], 'namingContexts');
  holds($dse->supported_version(3), 'version 3');
  my $over_tls = secure()->root_dse;
  for my $root ($dse, $over_tls) {
    $offered{$_} = 1 for map { $root->get_value($_) } qw(supportedControl supportedExtension supportedFeatures supportedSASLMechanisms);
  }
  delete $offered{PLAIN} if $slapd;
};

step 'schema, read by the library', undef, sub {
  my $schema = $admin->schema or die "no schema\n";
  same([sort map { $_->{name} } $schema->must('inetOrgPerson')], [qw(cn objectClass sn)], 'what an inetOrgPerson must have');
  same([$schema->superclass('inetOrgPerson')], ['organizationalPerson'], 'the superclass');
  holds($schema->attribute('uidNumber')->{'single-value'}, 'uidNumber is single-valued');
  same($schema->attribute_syntax('sn')->{oid}, '1.3.6.1.4.1.1466.115.121.1.15', 'the syntax of sn');
  holds($schema->matchingrule('caseIgnoreMatch'), 'caseIgnoreMatch');
  holds(scalar($schema->all_attributes) > 100, 'attribute types');
};

step 'bind: right, wrong, unknown, none', undef, sub {
  connected($person, $lab{PERSON_PASSWORD});
  my $wrong = refused(49, plain()->bind($person, password => 'wrong'));
  same(refused(49, plain()->bind("uid=nobody,$lab", password => 'wrong'))->error, $wrong->error, 'what is said of an unknown person');
  # The library itself refuses a DN with an empty password.
  well(plain()->bind);
};

step 'filters: umlauts, escapes, substrings, ranges, presence, not, extensible', undef, sub {
  my $people = "ou=people,$suffix";
  for my $text ('(cn=Jürgen Müller)', '(cn=jürgen  müller)', '(sn=M*ll*r)', '(sn:caseExactMatch:=Müller)', '(sn~=Müller)') {
    same([found("(&(uid=jmueller)$text)", $people)], [$person], $text);
  }
  my $odd = escape_filter_value('Stars * and (brackets) and \\ backslash');
  same([found("(description=$odd)", $people)], [$person], 'the escaped filter');
  my %counts = (
    '(uidNumber>=60021)' => 5, '(uidNumber<=60003)' => 3, '(&(uid=lab*)(!(uid=lab1*)))' => 15, '(ou:dn:=row)' => 26,
    '(|(uid=lab01)(uid=lab02)(noSuchType=x))' => 2, '(!(noSuchType=x))' => 0,
  );
  same(scalar(() = found($_, $row)), $counts{$_}, $_) for sort keys %counts;
  same(scalar(() = found('(objectClass=*)', $row, scope => $_->[0])), $_->[1], "scope $_->[0]") for ['base', 1], ['one', 25], ['children', 25];
};

step 'attributes: selected, none, all, operational, types only', undef, sub {
  my $names = sub {
    my ($attributes, %more) = @_;
    my $done = well($admin->search(base => $person, scope => 'base', filter => '(objectClass=*)', attrs => $attributes, %more));
    return [sort $done->entry(0)->attributes];
  };
  same($names->(['SN', 'mail']), [qw(mail sn)], 'selected');
  same($names->(['1.1']), [], '1.1');
  same($names->(['@person']), [qw(cn description objectClass sn), $slapd ? 'userPassword' : ()], '@person');
  my %operational = map { $_ => 1 } @{ $names->(['+']) };
  holds($operational{$_}, "$_ in +") for qw(entryUUID createTimestamp modifiersName structuralObjectClass entryDN hasSubordinates);
  holds(!$operational{cn}, '+ without cn');
  same($names->(['sn'], typesonly => 1), ['sn'], 'types only');
};

step 'binary values', undef, sub {
  my $picture = "\xff\xd8\xff" . join '', map { chr } 0 .. 255;
  my $entry = well($admin->search(base => $person, scope => 'base', filter => '(objectClass=*)', attrs => ['jpegPhoto']))->entry(0);
  holds($entry->get_value('jpegPhoto') eq $picture, 'the picture is another one');
  my $dn = add_person('large', undef, jpegPhoto => $picture x 1200);
  $entry = well($admin->search(base => $dn, scope => 'base', filter => '(objectClass=*)'))->entry(0);
  holds($entry->get_value('jpegPhoto') eq $picture x 1200, '300 kB came back otherwise');
};

step 'add, modify, rename, move, delete', undef, sub {
  my $inner = "ou=inner,$space";
  my $outer = "ou=outer,$space";
  well($admin->add($inner, attrs => [objectClass => 'organizationalUnit', ou => 'inner']));
  my $alice = add_person('alice', $inner, mail => ['a@example.com', 'b@example.com']);
  well($admin->modify($alice, changes => [
    delete => [mail => ['a@example.com']], add => [mail => ['c@example.com']], replace => [title => ['Dr.', 'Prof.'], cn => encode_utf8('Älice')],
  ]));
  same([values_of($alice, 'cn', 'mail', 'title')], ['Älice', 'b@example.com', 'c@example.com', 'Dr.', 'Prof.'], 'alice');
  my $entry = well($admin->search(base => $alice, scope => 'base', filter => '(objectClass=*)'))->entry(0);
  well($entry->replace(title => 'Dr.')->add(givenName => 'Alice')->update($admin));
  same([values_of($alice, 'title', 'givenName')], ['Dr.', 'Alice'], 'alice by Entry->update');
  well($admin->moddn($inner, newrdn => 'ou=outer', deleteoldrdn => 0));
  same([found('(&(ou=inner)(ou=outer))', $space)], [$outer], 'the old value stays');
  same([found('(uid=alice)', $space)], ["uid=alice,$outer"], 'what was below');
  well($admin->moddn("uid=alice,$outer", newrdn => 'uid=Alicia', deleteoldrdn => 1, newsuperior => $space));
  same([found('(uid=alicia)', $space)], ["uid=Alicia,$space"], 'where it is');
  well($admin->delete("uid=alicia,$space"));
  same([found('(uid=alicia)', $space)], [], 'gone');
  my $odd = 'cn=' . escape_dn_value('#1 Ada, "Countess" + Lovelace; <x>=y ') . ",$space";
  well($admin->add($odd, attrs => [objectClass => 'person', cn => '#1 Ada, "Countess" + Lovelace; <x>=y ', sn => 'Lovelace']));
  same(canonical_dn((found('(sn=lovelace)', $space))[0]), canonical_dn($odd), 'the odd name');
};

step 'increment', '1.3.6.1.1.14', sub {
  my $dn = add_person('counter');
  well($admin->modify($dn, add => { objectClass => 'posixAccount', uidNumber => 7, gidNumber => 1, homeDirectory => '/' }));
  well($admin->modify($dn, increment => { uidNumber => 3 }));
  same([values_of($dn, 'uidNumber')], [10], 'after the increment');
};

step 'compare', undef, sub {
  refused(6, $admin->compare($person, attr => 'sn', value => encode_utf8('MÜLLER')));
  refused(5, $admin->compare($person, attr => 'sn', value => 'Miller'));
  refused(16, $admin->compare($person, attr => 'title', value => 'x'));
};

step 'errors: codes and matchedDN as the library reports them', undef, sub {
  my $nowhere = "cn=x,ou=nowhere,$lab";
  same(refused(32, $admin->search(base => $nowhere, filter => '(objectClass=*)'))->dn, $lab, 'matchedDN of a search');
  same(refused(32, $admin->delete($nowhere))->dn, $lab, 'matchedDN of a delete');
  my $bob = add_person('bob', undef, employeeNumber => 1);
  add_person('ben');
  my @new = ("uid=new,$space", attrs => [objectClass => 'inetOrgPerson', uid => 'new', cn => 'New']);
  refused(68, $admin->add($bob, attrs => [objectClass => 'inetOrgPerson', uid => 'bob', cn => 'B', sn => 'B']));
  refused(65, $admin->add(@new));
  refused(17, $admin->modify($bob, add => { favouriteColour => 'teal' }));
  refused(21, $admin->modify($bob, add => { manager => 'no name' }));
  refused(20, $admin->modify($bob, add => { cn => 'SOMEBODY' }));
  refused(16, $admin->modify($bob, delete => { cn => 'Robert' }));
  refused(16, $admin->modify($bob, delete => ['title']));
  refused(19, $admin->modify($bob, replace => { employeeNumber => [1, 2] }));
  refused($slapd ? 64 : 67, $admin->modify($bob, delete => { uid => 'bob' }));
  refused(69, $admin->modify($bob, replace => { objectClass => 'organizationalUnit' }));
  refused(66, $admin->delete($space));
  refused(68, $admin->moddn($bob, newrdn => 'uid=ben'));
  refused(50, connected($person, $lab{PERSON_PASSWORD})->delete("cn=all-staff,ou=groups,$suffix"));
  refused(34, $admin->delete('not a name'));
  refused(12, $admin->search(base => $row, filter => '(uid=*)', control => Net::LDAP::Control->new(type => '1.2.3.4', critical => 1)));
  my $limited = refused(4, $admin->search(base => $row, filter => '(uid=lab*)', sizelimit => 7));
  same($limited->count, 7, 'what came before the size limit');
};

step 'paged results', '1.2.840.113556.1.4.319', sub {
  my $page = Net::LDAP::Control::Paged->new(size => 10, critical => 1);
  my @sizes;
  while (1) {
    my $done = well($admin->search(base => $row, filter => '(uid=lab*)', control => [$page]));
    push @sizes, $done->count;
    my ($answer) = $done->control(LDAP_CONTROL_PAGED) or die "no control in the answer\n";
    last unless length($answer->cookie // '');
    $page->cookie($answer->cookie);
  }
  same(\@sizes, [10, 10, 5], 'the pages');
};

my @sorted = map { sprintf 'Reihe %02d', $_ } 1 .. 25;

step 'server-side sorting', '1.2.840.113556.1.4.473', sub {
  my $sort = Net::LDAP::Control::Sort->new(order => 'sn:2.5.13.3', critical => 1);
  my $done = well($admin->search(base => $row, filter => '(uid=lab*)', control => [$sort]));
  same([map { $_->get_value('sn') } $done->entries], \@sorted, 'sorted by sn');
  my ($answer) = $done->control(LDAP_CONTROL_SORTRESULT);
  same($answer->result, 0, 'the sort result');
  $done = well($admin->search(base => $row, filter => '(uid=lab*)', control => [Net::LDAP::Control::Sort->new(order => '-uidNumber')]));
  same($done->entry(0)->get_value('uid'), 'lab25', 'the largest number first');
};

step 'virtual list view', '2.16.840.1.113730.3.4.9', sub {
  my $sort = Net::LDAP::Control::Sort->new(order => 'sn:2.5.13.3', critical => 1);
  my $view = Net::LDAP::Control::VLV->new(before => 1, after => 2, content => 0, offset => 10, critical => 1);
  my $done = well($admin->search(base => $row, filter => '(uid=lab*)', control => [$view, $sort]));
  same([map { $_->get_value('sn') } $done->entries], [@sorted[8 .. 11]], 'the view');
  my ($answer) = $done->control(LDAP_CONTROL_VLVRESPONSE);
  same([$answer->target, $answer->content], [10, 25], 'its place');
  $view->response($answer);
  $view->scroll_page(1);
  $done = well($admin->search(base => $row, filter => '(uid=lab*)', control => [$view, $sort]));
  same([map { $_->get_value('sn') } $done->entries], [@sorted[12 .. 15]], 'the next view');
  $view = Net::LDAP::Control::VLV->new(before => 0, after => 1, assert => 'reihe 20', critical => 1);
  $done = well($admin->search(base => $row, filter => '(uid=lab*)', control => [$view, $sort]));
  same([map { $_->get_value('sn') } $done->entries], [@sorted[19, 20]], 'the view from a value on');
};

step 'assertion', '1.3.6.1.1.12', sub {
  my $dn = add_person('asserted');
  my $change = sub { $admin->modify($dn, replace => { title => 'x' }, control => [Net::LDAP::Control::Assertion->new(critical => 1, assertion => $_[0])]) };
  refused(122, $change->('(cn=nobody)'));
  well($change->('(cn=somebody)'));
};

step 'pre-read and post-read', '1.3.6.1.1.13.2', sub {
  my $dn = add_person('readback', undef, title => 'old');
  my @controls = map { $_->new(critical => 1, attrs => ['title']) } 'Net::LDAP::Control::PreRead', 'Net::LDAP::Control::PostRead';
  my $done = well($admin->modify($dn, replace => { title => 'new' }, control => \@controls));
  same([map { ($done->control($_))[0]->entry->get_value('title') } LDAP_CONTROL_PREREAD, LDAP_CONTROL_POSTREAD], ['old', 'new'], 'before and after');
};

step 'matched values', '1.2.826.0.1.3344810.2.3', sub {
  my $dn = add_person('many', undef, mail => ['a@one.example', 'b@two.example']);
  my $control = Net::LDAP::Control::MatchedValues->new(critical => 1, matchedValues => '((mail=*@two.example))');
  my $done = well($admin->search(base => $dn, filter => '(objectClass=*)', attrs => ['mail'], control => [$control]));
  same([$done->entry(0)->get_value('mail')], ['b@two.example'], 'the value that matched');
};

step 'ManageDsaIT', LDAP_CONTROL_MANAGEDSAIT, sub {
  my $done = well($admin->search(base => $row, filter => '(uid=lab0*)', control => [Net::LDAP::Control::ManageDsaIT->new(critical => 1)]));
  same($done->count, 9, 'entries');
};

step 'subentries', LDAP_CONTROL_SUBENTRIES, sub {
  my $done = well($admin->search(base => $row, filter => '(objectClass=*)', control => [Net::LDAP::Control::Subentries->new(visibility => 1)]));
  same($done->count, 0, 'subentries where there are none');
};

step 'don’t use copy', LDAP_CONTROL_DONTUSECOPY, sub {
  my $control = Net::LDAP::Control::DontUseCopy->new(critical => 1);
  same(well($admin->search(base => $row, filter => '(uid=lab0*)', control => [$control]))->count, 9, 'entries');
};

step 'proxied authorization', LDAP_CONTROL_PROXYAUTHORIZATION, sub {
  my $acting = sub { Net::LDAP::Control::ProxyAuth->new(critical => 1, authzID => "dn:$_[0]") };
  refused(50, $admin->delete("cn=all-staff,ou=groups,$suffix", control => [$acting->($person)]));
  my $someone = connected($person, $lab{PERSON_PASSWORD});
  my $tried = $someone->search(base => $row, filter => '(uid=*)', control => [$acting->($admin_dn)]);
  holds($tried->code != 0 && $tried->count == 0, 'a person acts as the administrator');
};

step 'content synchronisation', '1.3.6.1.4.1.4203.1.9.1.1', sub {
  my %seen;
  my $refresh = sub {
    my ($cookie) = @_;
    my $request = Net::LDAP::Control::SyncRequest->new(critical => 1, mode => LDAP_SYNC_REFRESH_ONLY, defined $cookie ? (cookie => $cookie) : ());
    my $hear = sub {
      my (undef, $entry, @controls) = @_;
      my ($state) = grep { ref && $_->isa('Net::LDAP::Control::SyncState') } map { ref eq 'ARRAY' ? @$_ : $_ } @controls;
      $seen{ $entry->dn } = $state ? $state->state : -1 if ref $entry && $entry->isa('Net::LDAP::Entry');
    };
    my $done = well($admin->search(base => $space, filter => '(objectClass=*)', control => [$request], callback => $hear));
    my ($answer) = $done->control(LDAP_CONTROL_SYNC_DONE) or die "no sync done\n";
    return $answer->cookie;
  };
  my $cookie = $refresh->();
  same(scalar(keys %seen), scalar(() = found('(objectClass=*)', $space)), 'entries of the first content');
  %seen = ();
  my $dn = add_person('synced');
  $refresh->($cookie);
  holds(exists $seen{$dn}, 'the new entry did not come with the cookie');
};

step 'who am I', '1.3.6.1.4.1.4203.1.11.3', sub {
  same(well(connected($person, $lab{PERSON_PASSWORD})->who_am_i)->response, "dn:$person", 'who am I');
};

step 'password modify', '1.3.6.1.4.1.4203.1.11.1', sub {
  my $dn = add_person('carol', undef, userPassword => 'First-secret-1');
  my $made = well($admin->set_password(user => $dn))->gen_password;
  my $carol = connected($dn, $made);
  refused(53, $carol->set_password(oldpasswd => 'wrong', newpasswd => 'Second-secret-2'));
  well($carol->set_password(oldpasswd => $made, newpasswd => 'Second-secret-2'));
  connected($dn, 'Second-secret-2');
  refused(49, plain()->bind($dn, password => $made));
};

step 'abandon and cancel', '1.3.6.1.1.8', sub {
  my $ldap = Net::LDAP->new("ldap://$lab{HOST}:$lab{PORT}", async => 1) or die "$@\n";
  $ldap->bind($admin_dn, password => $lab{ADMIN_PASSWORD})->sync;
  my $search = $ldap->search(base => "ou=people,$suffix", filter => '(objectClass=*)');
  my $cancel = $ldap->cancel($search);
  $cancel->sync;
  holds((grep { $_ == $cancel->code } 0, 119, 120), 'cancel ended with ' . $cancel->code);
};

step 'StartTLS', '1.3.6.1.4.1.1466.20037', sub {
  my $ldap = plain();
  well($ldap->start_tls(%tls));
  holds($ldap->cipher, 'a cipher');
  connected($person, $lab{PERSON_PASSWORD}, $ldap);
  same(well($ldap->who_am_i)->response, "dn:$person", 'who am I');
  refused(1, $ldap->start_tls(%tls));
};

step 'ldaps with ca.pem, and not without', undef, sub {
  same(well(connected($person, $lab{PERSON_PASSWORD}, secure())->who_am_i)->response, "dn:$person", 'who am I');
  holds(!Net::LDAP->new("ldaps://$lab{HOST}:$lab{TLS_PORT}", verify => 'require'), 'an authority that nobody trusts is trusted');
};

step 'SASL PLAIN over TLS', 'PLAIN', sub {
  my $sasl = sub { Authen::SASL->new(mechanism => 'PLAIN', callback => { user => 'jmueller', pass => encode_utf8($_[0]), authname => '' }) };
  my $ldap = secure();
  well($ldap->bind(sasl => $sasl->($lab{PERSON_PASSWORD})));
  same(well($ldap->who_am_i)->response, "dn:$person", 'who am I');
  refused(49, secure()->bind(sasl => $sasl->('wrong')));
};

step 'SASL EXTERNAL by a client certificate', undef, sub {
  my $ldap = plain();
  well($ldap->start_tls(%tls, clientcert => $lab{CLIENT_CERT}, clientkey => $lab{CLIENT_KEY}));
  well($ldap->bind(sasl => Authen::SASL->new(mechanism => 'EXTERNAL', callback => { user => '' })));
  same(well($ldap->who_am_i)->response, "dn:$person", 'who am I');
};

step 'SASL EXTERNAL over the Unix socket', undef, sub {
  my $path = $lab{SOCKET} =~ s{/}{%2f}gr;
  my $ldap = open_to("ldapi://$path");
  well($ldap->bind(sasl => Authen::SASL->new(mechanism => 'EXTERNAL', callback => { user => '' })));
  holds(well($ldap->who_am_i)->response, 'who am I');
};

step 'tree delete', '1.2.840.113556.1.4.805', sub {
  well($admin->delete($space, control => [Net::LDAP::Control::TreeDelete->new(critical => 1)]));
  refused(32, $admin->search(base => $space, filter => '(objectClass=*)'));
};

print "end\n";
