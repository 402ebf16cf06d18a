/// Exports a policy: as a component, exactly the interfaces that are named; natively, the same ones to
/// [`fixture::run`](crate::fixture::run).
///
/// ```text
/// policy_sdk::export!(MyDb: Sequence, Seed, Primaries, Replicas, Metadata);
/// ```
///
/// The names are those of the traits, and `Metadata`, which every [`Policy`](crate::Policy) has: it tells what the
/// policy is and checks settings, so one that takes settings names it. Each once, and `export!` once in a crate.
#[macro_export]
macro_rules! export {
    ($policy:ty : $($interface:ident),+ $(,)?) => {
        #[cfg(not(target_arch = "wasm32"))]
        impl $crate::fixture::Exported for $policy {
            fn decide(
                settings: &str,
                asked: &$crate::record::Decision,
            ) -> Option<$crate::record::Decision> {
                None$(.or_else(|| $crate::__native!($interface, $policy, settings, asked)))+
            }
        }

        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Component = $crate::glue::Component<$policy>;
            $($crate::__component!($interface Component);)+
        };
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __native {
    (Sequence, $policy:ty, $settings:expr, $asked:expr) => {
        $crate::native::sequence::<$policy>($settings, $asked)
    };
    (Seed, $policy:ty, $settings:expr, $asked:expr) => {
        $crate::native::seed::<$policy>($settings, $asked)
    };
    (Primaries, $policy:ty, $settings:expr, $asked:expr) => {
        $crate::native::primaries::<$policy>($settings, $asked)
    };
    (Replicas, $policy:ty, $settings:expr, $asked:expr) => {
        $crate::native::replicas::<$policy>($settings, $asked)
    };
    (Metadata, $policy:ty, $settings:expr, $asked:expr) => {
        $crate::native::metadata::<$policy>($settings, $asked)
    };
}

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
#[macro_export]
macro_rules! __component {
    (Sequence $component:ident) => { $crate::glue::sequence::export_sequence!($component with_types_in $crate::glue::sequence); };
    (Seed $component:ident) => { $crate::glue::seed::export_seed!($component with_types_in $crate::glue::seed); };
    (Primaries $component:ident) => { $crate::glue::primaries::export_primaries!($component with_types_in $crate::glue::primaries); };
    (Replicas $component:ident) => { $crate::glue::replicas::export_replicas!($component with_types_in $crate::glue::replicas); };
    (Metadata $component:ident) => { $crate::glue::metadata::export_metadata!($component with_types_in $crate::glue::metadata); };
}
