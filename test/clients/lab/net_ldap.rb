# frozen_string_literal: true

# The journey of net-ldap, the client written in Ruby.
require 'net/ldap'
require 'net/ldap/dn'
require 'openssl'

Lab = ENV.select { |name, _| name.start_with?('LAB_') }.transform_keys { |name| name.delete_prefix('LAB_') }.freeze
SLAPD = Lab['SERVER'] == 'slapd'
SUFFIX = Lab['SUFFIX']
LAB = "ou=lab,#{SUFFIX}"
ROW = "ou=row,#{LAB}"
SPACE = "ou=net-ldap-ruby,#{LAB}"
PERSON = Lab['PERSON']
PERSON_PASSWORD = Lab['PERSON_PASSWORD']
TRUSTING = { ca_file: Lab['CA'], verify_mode: OpenSSL::SSL::VERIFY_PEER }.freeze
OFFERED = {}

def same(got, wanted, what)
  raise "#{what} is #{got.inspect}, not #{wanted.inspect}" unless got == wanted
end

def holds(truth, what)
  raise what unless truth
end

# Runs a step at once; the needed OID or mechanism must stand in the root DSE.
def step(name, needs = nil)
  return puts("--\t#{name}\t#{needs}") if needs && !OFFERED[needs]

  yield
  puts "ok\t#{name}"
rescue StandardError => e
  line = e.backtrace.grep(/#{Regexp.escape(File.basename(__FILE__))}/).last(1).first.to_s[/:(\d+)/, 1]
  puts "no\t#{name}\t#{e.class}: #{e.message} (line #{line})".gsub(/[\r\n]+/, ' ')
end

def simple(dn, password)
  { method: :simple, username: dn, password: password }
end

def client(dn = Lab['ADMIN'], password = Lab['ADMIN_PASSWORD'], **more)
  Net::LDAP.new(host: Lab['HOST'], port: Lab['PORT'].to_i, auth: simple(dn, password), **more)
end

def secure(dn = PERSON, password = PERSON_PASSWORD, options = TRUSTING, **more)
  client(dn, password, port: Lab['TLS_PORT'].to_i, encryption: { method: :simple_tls, tls_options: options }, **more)
end

def well(ldap = ADMIN)
  answer = ldap.get_operation_result
  raise "#{answer.code} #{answer.message}: #{answer.error_message}" unless answer.code.zero?

  answer
end

# What the library knows of an operation that must end with a code.
def refused(code, ldap = ADMIN)
  yield ldap
  answer = ldap.get_operation_result
  raise "#{answer.code} (#{answer.error_message}) instead of #{code}" unless answer.code == code

  answer
end

ADMIN = client

def search(filter, base: LAB, scope: Net::LDAP::SearchScope_WholeSubtree, **more)
  filter = Net::LDAP::Filter.construct(filter) if filter.is_a?(String)
  found = ADMIN.search(base: base, filter: filter, scope: scope, **more)
  well
  found
end

def found(filter, **more)
  search(filter, attributes: ['1.1'], **more).map(&:dn).sort
end

def read(dn, *attributes)
  search('(objectClass=*)', base: dn, scope: Net::LDAP::SearchScope_BaseObject, attributes: attributes).first
end

def person(uid, parent = SPACE, **more)
  dn = "uid=#{uid},#{parent}"
  ADMIN.add(dn: dn, attributes: { objectClass: 'inetOrgPerson', uid: uid, cn: 'Somebody', sn: 'S', **more })
  well
  dn
end

ADMIN.add(dn: SPACE, attributes: { objectClass: 'organizationalUnit', ou: 'net-ldap-ruby' })
well

step 'root DSE, read by the library' do
  root = ADMIN.search_root_dse
  same(root[:namingcontexts], [SUFFIX], 'namingContexts')
  same(root[:supportedldapversion], ['3'], 'supportedLDAPVersion')
  [root, secure.search_root_dse].each do |dse|
    %i[supportedcontrol supportedextension supportedfeatures supportedsaslmechanisms].each do |name|
      dse[name].each { |value| OFFERED[value] = true }
    end
  end
  OFFERED.delete('PLAIN') if SLAPD
end

step 'schema, read by the library' do
  schema = ADMIN.search_subschema_entry
  holds(schema[:objectclasses].any? { |text| text.include?("NAME 'inetOrgPerson'") }, 'inetOrgPerson')
  holds(schema[:attributetypes].length > 100, 'attribute types')
end

step 'bind: right, wrong, unknown, none' do
  same(client(PERSON, PERSON_PASSWORD).bind, true, 'bound')
  wrong = refused(49, client(PERSON, 'wrong'), &:bind)
  unknown = refused(49, client("uid=nobody,#{LAB}", 'wrong'), &:bind)
  same(unknown.error_message, wrong.error_message, 'what is said of an unknown person')
  refused(53, client(PERSON, ''), &:bind)
  same(Net::LDAP.new(host: Lab['HOST'], port: Lab['PORT'].to_i).bind, true, 'anonymous')
  known = ADMIN.bind_as(base: "ou=people,#{SUFFIX}", filter: '(uid=jmueller)', password: PERSON_PASSWORD)
  same(known.first.dn, PERSON, 'bind_as')
end

step 'filters: umlauts, escapes, substrings, ranges, presence, not, extensible' do
  people = "ou=people,#{SUFFIX}"
  ['(cn=Jürgen Müller)', '(cn=jürgen  müller)', '(sn=M*ll*r)', '(sn:caseExactMatch:=Müller)'].each do |text|
    same(found("(&(uid=jmueller)#{text})", base: people), [PERSON], text)
  end
  same(found(Net::LDAP::Filter.equals('description', 'Stars * and (brackets) and \\ backslash'), base: people), [PERSON], 'escaped')
  same(found(Net::LDAP::Filter.ge('uidNumber', '60021'), base: ROW).length, 5, '>=')
  same(found(Net::LDAP::Filter.le('uidNumber', '60003'), base: ROW).length, 3, '<=')
  same(found(Net::LDAP::Filter.begins('uid', 'lab') & ~Net::LDAP::Filter.begins('uid', 'lab1'), base: ROW).length, 15, 'not')
  same(found('(|(uid=lab01)(uid=lab02)(noSuchType=x))', base: ROW).length, 2, 'or with an undefined type')
  same(found('(!(noSuchType=x))', base: ROW).length, 0, 'not undefined')
  same(found('(objectClass=*)', base: ROW, scope: Net::LDAP::SearchScope_SingleLevel).length, 25, 'one level')
end

step 'attributes: selected, none, all, operational, types only' do
  names = ->(*wanted) { read(PERSON, *wanted).attribute_names.map(&:to_s).sort - ['dn'] }
  same(names.call('SN', 'mail'), %w[mail sn], 'selected')
  same(names.call('1.1'), [], '1.1')
  same(names.call('@person'), %w[cn description objectclass sn] + (SLAPD ? ['userpassword'] : []), '@person')
  operational = names.call('+')
  %w[entryuuid createtimestamp modifiersname structuralobjectclass].each { |name| holds(operational.include?(name), name) }
  holds(!operational.include?('cn'), '+ without cn')
  same(search('(uid=lab01)', base: ROW, attributes: ['sn'], attributes_only: true).first[:sn], [], 'types only')
end

step 'binary values' do
  picture = [0xff, 0xd8, 0xff, *0..255].pack('C*')
  holds(read(PERSON, 'jpegPhoto')[:jpegphoto].first.b == picture, 'the picture is another one')
  dn = person('large', jpegPhoto: picture * 1200)
  holds(read(dn)[:jpegphoto].first.b == picture * 1200, '300 kB came back otherwise')
end

step 'add, modify, rename, move, delete' do
  inner = "ou=inner,#{SPACE}"
  outer = "ou=outer,#{SPACE}"
  ADMIN.add(dn: inner, attributes: { objectClass: 'organizationalUnit', ou: 'inner' })
  well
  alice = person('alice', inner, mail: %w[a@example.com b@example.com])
  changes = [[:delete, :mail, 'a@example.com'], [:add, :mail, 'c@example.com'], [:replace, :title, %w[Dr. Prof.]]]
  ADMIN.modify(dn: alice, operations: changes)
  well
  ADMIN.replace_attribute(alice, :cn, 'Älice')
  ADMIN.add_attribute(alice, :givenName, 'Alice')
  entry = read(alice)
  same([entry[:mail], entry[:title], entry[:givenname]], [%w[b@example.com c@example.com], %w[Dr. Prof.], ['Alice']], 'alice')
  same(entry[:cn].first.dup.force_encoding('UTF-8'), 'Älice', 'cn')
  ADMIN.rename(olddn: inner, newrdn: 'ou=outer', delete_attributes: false)
  well
  same(found('(&(ou=inner)(ou=outer))', base: SPACE), [outer], 'the old value stays')
  ADMIN.rename(olddn: "uid=alice,#{outer}", newrdn: 'uid=Alicia', delete_attributes: true, new_superior: SPACE)
  well
  same(found('(uid=alicia)', base: SPACE), ["uid=Alicia,#{SPACE}"], 'where it is')
  ADMIN.delete(dn: "uid=alicia,#{SPACE}")
  well
  same(found('(uid=alicia)', base: SPACE), [], 'gone')
  odd = Net::LDAP::DN.new('cn', 'Ada, "Countess" + Lovelace; <x>=y', SPACE).to_s
  ADMIN.add(dn: odd, attributes: { objectClass: 'person', cn: 'Ada, "Countess" + Lovelace; <x>=y', sn: 'Lovelace' })
  well
  same(Net::LDAP::DN.new(found('(sn=lovelace)', base: SPACE).first).to_a.first(2), Net::LDAP::DN.new(odd).to_a.first(2), 'the odd name')
end

step 'errors: codes and matchedDN as the library reports them' do
  nowhere = "cn=x,ou=nowhere,#{LAB}"
  same(refused(32) { |ldap| ldap.search(base: nowhere, filter: 'objectClass=*') }.matched_dn, LAB, 'matchedDN of a search')
  same(refused(32) { |ldap| ldap.delete(dn: nowhere) }.matched_dn, LAB, 'matchedDN of a delete')
  bob = person('bob', employeeNumber: '1')
  person('ben')
  change = ->(*operation) { ->(ldap) { ldap.modify(dn: bob, operations: [operation]) } }
  {
    68 => ->(ldap) { ldap.add(dn: bob, attributes: { objectClass: 'inetOrgPerson', uid: 'bob', cn: 'B', sn: 'B' }) },
    65 => ->(ldap) { ldap.add(dn: "uid=new,#{SPACE}", attributes: { objectClass: 'inetOrgPerson', uid: 'new', cn: 'New' }) },
    17 => change.call(:add, 'favouriteColour', 'teal'),
    21 => change.call(:add, 'manager', 'no name'),
    20 => change.call(:add, 'cn', 'SOMEBODY'),
    16 => change.call(:delete, 'title', nil),
    19 => change.call(:replace, 'employeeNumber', %w[1 2]),
    (SLAPD ? 64 : 67) => change.call(:delete, 'uid', 'bob'),
    69 => change.call(:replace, 'objectClass', 'organizationalUnit'),
    66 => ->(ldap) { ldap.delete(dn: SPACE) },
    34 => ->(ldap) { ldap.delete(dn: 'not a name') }
  }.each { |code, act| refused(code, &act) }
  refused(68) { |ldap| ldap.rename(olddn: bob, newrdn: 'uid=ben', delete_attributes: true) }
  refused(50, client(PERSON, PERSON_PASSWORD)) { |ldap| ldap.delete(dn: "cn=all-staff,ou=groups,#{SUFFIX}") }
  came = ADMIN.search(base: ROW, filter: 'uid=lab*', size: 7)
  # The library takes a size that it asked for as no error.
  same([came.length, ADMIN.get_operation_result.code], [7, 4], 'the size limit and what came')
end

step 'paged results', '1.2.840.113556.1.4.319' do
  # The library asks for pages by itself, of 126 entries, from a server that offers them.
  same(ADMIN.paged_searches_supported?, true, 'what the library says')
  people = search('(objectClass=posixAccount)', base: "ou=people,#{SUFFIX}", attributes: ['uid'])
  holds(people.length >= 240 && people.map(&:dn).uniq.length == people.length, "#{people.length} people by pages")
end

# No sorting: the library writes sort keys that are not those of RFC 2891, and slapd refuses them as well.

step 'password modify', '1.3.6.1.4.1.4203.1.11.1' do
  dn = person('carol', userPassword: 'First-secret-1')
  ADMIN.password_modify(dn: dn, auth: ADMIN.instance_variable_get(:@auth))
  holds(!well.extended_response.to_s.empty?, 'no password was made')
  ADMIN.password_modify(dn: dn, auth: ADMIN.instance_variable_get(:@auth), new_password: 'Second-secret-2')
  well
  carol = client(dn, 'Second-secret-2')
  refused(53, carol) { |ldap| ldap.password_modify(dn: dn, auth: simple(dn, 'Second-secret-2'), old_password: 'wrong', new_password: 'Third-3-secret') }
  carol.password_modify(dn: dn, auth: simple(dn, 'Second-secret-2'), old_password: 'Second-secret-2', new_password: 'Third-3-secret')
  well(carol)
  same(client(dn, 'Third-3-secret').bind, true, 'the new password')
end

step 'StartTLS', '1.3.6.1.4.1.1466.20037' do
  ldap = client(PERSON, PERSON_PASSWORD, encryption: { method: :start_tls, tls_options: TRUSTING })
  same(ldap.bind, true, 'bound over TLS')
  same(ldap.search(base: PERSON, filter: 'uid=*').length, 1, 'entries')
end

step 'ldaps with ca.pem, and not without' do
  same(secure.bind, true, 'bound over ldaps')
  begin
    secure(PERSON, PERSON_PASSWORD, { verify_mode: OpenSSL::SSL::VERIFY_PEER }).bind
  rescue Net::LDAP::Error
    next
  end
  raise 'an authority that nobody trusts is trusted'
end

step 'SASL PLAIN over TLS', 'PLAIN' do
  by = lambda do |password|
    auth = { method: :sasl, mechanism: 'PLAIN', initial_credential: "\0jmueller\0#{password}".b, challenge_response: ->(_) { '' } }
    Net::LDAP.new(host: Lab['HOST'], port: Lab['TLS_PORT'].to_i, auth: auth, encryption: { method: :simple_tls, tls_options: TRUSTING })
  end
  same(by.call(PERSON_PASSWORD).bind, true, 'bound')
  refused(49, by.call('wrong'), &:bind)
end

# No tree delete: the library sends the control outside of the tag that RFC 4511 §4.1.1 has for controls, where servers must not see it.

puts 'end'
